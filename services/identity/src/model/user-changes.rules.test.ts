import { describe, expect, it } from "@jest/globals";
import { grantable, userChanges, type UserRights } from "./user-changes.rules.js";

const existing = ["home", "lab", "office"];
const member: UserRights = { permissions: "Member", network_ids: ["office", "gone", "home"] };
const admin: UserRights = { permissions: "Admin", network_ids: [] };

describe("users.changes: an update of a user", () => {
  it("changes nothing when the user is sent back as returned, in whatever order", () => {
    expect(userChanges(member, { permissions: "Member", network_ids: ["home", "office"] }, existing)).toEqual({});
    expect(userChanges(admin, { permissions: "Admin", network_ids: existing }, existing)).toEqual({});
  });

  it("keeps the networks when they are absent", () => {
    expect(userChanges(member, { permissions: "Viewer" }, existing)).toEqual({ permissions: "Viewer" });
  });

  it("stores the networks without duplicates", () => {
    expect(userChanges(member, { permissions: "Member", network_ids: ["lab", "lab"] }, existing)).toEqual({
      network_ids: ["lab"],
    });
    expect(userChanges(member, { permissions: "Member", network_ids: [] }, existing)).toEqual({ network_ids: [] });
  });

  it("removes the grants of a user who becomes an Admin, so that none reappear later", () => {
    expect(userChanges(member, { permissions: "Admin" }, existing)).toEqual({ permissions: "Admin", network_ids: [] });
  });

  it("grants a demoted user the networks that the demotion names, and no others", () => {
    expect(userChanges(admin, { permissions: "Member" }, existing)).toEqual({ permissions: "Member" });
    expect(userChanges(admin, { permissions: "Member", network_ids: existing }, existing)).toEqual({
      permissions: "Member",
      network_ids: existing,
    });
  });

  it("reports the first network that does not exist, also when networks have no meaning", () => {
    const refusal = expect.objectContaining({ code: "invalid_reference", params: { path: "network_ids.1" } });
    expect(() => grantable(["home", "gone", "away"], existing)).toThrow(refusal);
    expect(() => userChanges(admin, { permissions: "Owner", network_ids: ["home", "away"] }, existing)).toThrow(
      refusal,
    );
  });
});
