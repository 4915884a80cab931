import { describe, expect, it } from "@jest/globals";
import { PERMISSIONS, type Permission } from "@nts/shared/contract/endpoint";
import { ranksOver, requireRank } from "./rank.rules.js";

const below = (own: Permission) => PERMISSIONS.filter((level) => ranksOver(own, level));

describe("users.rank: who decides about whom", () => {
  it("is an Owner about everybody, other Owners included", () => {
    expect(below("Owner")).toEqual(PERMISSIONS);
  });

  it("is an Admin about Members and Viewers", () => {
    expect(below("Admin")).toEqual(["Member", "Viewer"]);
  });

  it("is nobody else", () => {
    expect([below("Member"), below("Viewer")]).toEqual([[], []]);
  });

  it("takes every level into account that somebody has and is to have", () => {
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
