import { describe, expect, it } from "@jest/globals";
import { PERMISSIONS, type Permission } from "@nts/shared/contract/endpoint";
import { ranksOver, requireRank } from "./rank.rules.js";

const below = (own: Permission) => PERMISSIONS.filter((level) => ranksOver(own, level));

describe("users.rank: who may manage whom", () => {
  it("lets an Owner manage everybody, including other Owners", () => {
    expect(below("Owner")).toEqual(PERMISSIONS);
  });

  it("lets an Admin manage Members and Viewers", () => {
    expect(below("Admin")).toEqual(["Member", "Viewer"]);
  });

  it("does not let Members and Viewers manage anyone", () => {
    expect([below("Member"), below("Viewer")]).toEqual([[], []]);
  });

  it("considers every current and future level of the target", () => {
    const refusal = expect.objectContaining({ code: "permission_denied", params: { required: "Owner" } });
    expect(() => {
      requireRank({ permission: "Admin" }, "Member", "Admin");
    }).toThrow(refusal);
    expect(() => {
      requireRank({ permission: "Admin" }, "Owner", "Viewer");
    }).toThrow(refusal);
    expect(() => {
      requireRank({ permission: "Admin" }, "Member", "Viewer");
    }).not.toThrow();
  });
});
