import { describe, expect, it } from "@jest/globals";
import type { AppError, Fault } from "@nts/shared/errors";
import { yamlDocumentsIn } from "./yaml.js";

const read = (text: string) => [...yamlDocumentsIn([Buffer.from(text)], "split it")];
const faultOf = (text: string): string => {
  try {
    read(text);
    return "";
  } catch (error) {
    const [fault] = (error as AppError).params["errors"] as Fault[];
    return `${fault?.path ?? ""}: ${fault?.message ?? ""}`;
  }
};

describe("YAML files", () => {
  it("have any number of documents, whose mappings begin on the lines of their keys", () => {
    const [first, second, third] = read("# note\na: 1\n---\n---\nb:\n  - c: 0o17\n    d: {e: ~}\n");
    expect([first?.line, first?.value]).toEqual([2, { a: 1 }]);
    expect([second?.line, second?.value]).toEqual([5, { b: [{ c: 15, d: { e: null } }] }]);
    const { b } = (second as { value: unknown }).value as { b: [{ d: object }] };
    expect([b, b[0], b[0].d].map((one) => second?.lineOf(one))).toEqual([5, 6, 7]);
    expect(third).toBeUndefined();
  });

  it("share the values of their anchors, so that aliases of aliases cost nothing", () => {
    const levels = Array.from({ length: 50 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`);
    const [document] = read(`a0: &a0 [x]\n${levels.join("\n")}\n`);
    const value = document?.value as Readonly<Record<string, unknown[]>>;
    expect(value["a50"]?.[0]).toBe(value["a49"]);
  });

  it("keep members that are members of every object", () => {
    const [document] = read("__proto__: {a: 1}\nconstructor: b\n");
    expect(Object.keys(document?.value as object)).toEqual(["__proto__", "constructor"]);
  });

  it.each([
    ["a: [1\nb: 2\n", "line 2, column 1: is not valid YAML: "],
    ["a: *b\n", "line 1, column 4: there is no anchor b before it"],
    ["a: &a [*a]\n", "line 1, column 8: there is no anchor a before it"],
    ["\ta: 1\n", "line 1, column 1: is not valid YAML: "],
    ["%YAML 9\n", "line 1, column 7: is not valid YAML: "],
    [`a: ${"[".repeat(300)}`, "line 1, column 203: must not have more than 200 collections within each other"],
    ["--- a\n".repeat(1_100), "line 1003, column 4: an import reads at most 1000 documents in YAML"],
    [`a: ${"b".repeat(2_000_001)}`, "line 1, column 1: must not have more than 2000000 characters in YAML; split it"],
  ])("are refused with the place: %#", (text, fault) => {
    expect(faultOf(text).slice(0, fault.length)).toBe(fault);
  });
});
