import { describe, expect, it } from "@jest/globals";
import { inPresentForm, withUnknown, type Form } from "./forms.js";

interface Thing {
  readonly name: string;
  readonly seen?: string | null;
}

const SECOND: Form<Thing> = { version: 2, upgrade: (stored) => ({ seen: null, ...stored }) };

describe("stored forms", () => {
  it("are upgraded from an older build, with what had survived there", () => {
    expect(inPresentForm(SECOND, { name: "nas" })).toEqual({ name: "nas", seen: null });
    expect(inPresentForm(SECOND, { name: "nas", seen: "today" }, 1)).toEqual({ name: "nas", seen: "today" });
  });

  it("are read unchanged from the same build or a newer one", () => {
    for (const version of [2, 3]) expect(inPresentForm(SECOND, { name: "nas" }, version)).toEqual({ name: "nas" });
  });

  it("keep members that this build does not know, at any depth, after the known ones", () => {
    const stored = {
      id: "1",
      later: { deep: true },
      bindings: [{ id: "b", since: 3 }],
      source: { type: "Manual", by: 1 },
    };
    const checked = { id: "1", bindings: [{ id: "b" }], source: { type: "Manual" } };
    expect(JSON.stringify(withUnknown(checked, stored))).toBe(
      '{"id":"1","bindings":[{"id":"b","since":3}],"source":{"type":"Manual","by":1},"later":{"deep":true}}',
    );
  });

  it("take the validated value wherever the two differ", () => {
    expect(withUnknown({ name: "nas", tags: ["a"] }, { name: "NAS ", tags: ["a", "b"] })).toEqual({
      name: "nas",
      tags: ["a"],
    });
  });
});
