import { describe, expect, it } from "@jest/globals";
import { type BindingInput, bindingJudge } from "@nts/shared/contract";
import { remarksOn } from "./binding-remarks.js";

const HOST = { ports: ["https"], interfaces: ["lan", "wan"] };
const port = (interface_id: string | null): BindingInput => ({ type: "Port", port_id: "https", interface_id });

function textsOf(bindings: readonly BindingInput[]): Record<number, string[]> {
  const remarks = remarksOn(bindingJudge(HOST)(bindings));
  return Object.fromEntries([...remarks].map(([index, list]) => [index, list.map(({ text }) => text)]));
}

describe("remarks on bindings before they are saved", () => {
  it("are absent for those that are saved unchanged", () => {
    expect(textsOf([port("lan"), { type: "Interface", interface_id: "wan" }])).toEqual({});
  });

  it("name, for each dropped binding, the one that stays", () => {
    expect(textsOf([port("lan"), port(null), port(null)])).toEqual({
      0: ["Will be dropped: covered by binding 2 (all interfaces)."],
      2: ["Will be dropped: duplicate of binding 2."],
    });
  });

  it("mark both sides of a conflict", () => {
    expect(textsOf([port("lan"), { type: "Interface", interface_id: "lan" }])).toEqual({
      0: ["Conflict: binding 2 claims the same interface."],
      1: ["Conflict: binding 1 claims the same interface."],
    });
  });
});
