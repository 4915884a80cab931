import { describe, expect, it } from "@jest/globals";
import { rightsOf } from "./group-rights.rules.js";

const given = {
  admins: { permissions: "Admin", network_ids: [] },
  lab: { permissions: "Member", network_ids: ["n1", "gone"] },
  office: { permissions: "Viewer", network_ids: ["n2"] },
} as const;

describe("providers.group-rights: permissions from groups", () => {
  it("are the highest level, and all existing networks", () => {
    expect(rightsOf(["office", "lab", "unknown"], given, ["n1", "n2", "n3"])).toEqual({
      ...{ permissions: "Member", network_ids: ["n1", "n2"] },
    });
    expect(rightsOf(["lab", "admins"], given, ["n1"])).toEqual({ permissions: "Admin", network_ids: ["n1"] });
  });

  it("are none for a user in none of the groups, whatever the groups are named", () => {
    expect(rightsOf([], given, ["n1"])).toBeNull();
    expect(rightsOf(["constructor", "__proto__", "toString"], given, ["n1"])).toBeNull();
  });
});
