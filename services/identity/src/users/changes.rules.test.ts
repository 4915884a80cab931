import { describe, expect, it } from "@jest/globals";
import { grantable, userChanges, type UserRights } from "./changes.rules.js";

const existing = ["home", "lab", "office"];
const member: UserRights = { permissions: "Member", network_ids: ["office", "gone", "home"] };
const admin: UserRights = { permissions: "Admin", network_ids: [] };

describe("users.changes: what an update of a user changes", () => {
  it("is nothing when the user is sent back as answered, in whatever order", () => {
    expect(userChanges(member, { permissions: "Member", network_ids: ["home", "office"] }, existing)).toEqual({});
    expect(userChanges(admin, { permissions: "Admin", network_ids: existing }, existing)).toEqual({});
  });

  it("keeps the networks when they are absent", () => {
    expect(userChanges(member, { permissions: "Viewer" }, existing)).toEqual({ permissions: "Viewer" });
  });

  it("is the networks, each once", () => {
    expect(userChanges(member, { permissions: "Member", network_ids: ["lab", "lab"] }, existing)).toEqual({
      network_ids: ["lab"],
    });
    expect(userChanges(member, { permissions: "Member", network_ids: [] }, existing)).toEqual({ network_ids: [] });
  });

  it("takes the grants away from whoever becomes an Admin, so that none come back by surprise", () => {
    expect(userChanges(member, { permissions: "Admin" }, existing)).toEqual({ permissions: "Admin", network_ids: [] });
  });

  it("grants whoever is demoted what the demotion names, and otherwise nothing", () => {
    expect(userChanges(admin, { permissions: "Member" }, existing)).toEqual({ permissions: "Member" });
    expect(userChanges(admin, { permissions: "Member", network_ids: existing }, existing)).toEqual({
      permissions: "Member",
      network_ids: existing,
    });
  });

  it("names the first network that does not exist, also where networks have no meaning", () => {
    const refusal = expect.objectContaining({ code: "invalid_reference", params: { path: "network_ids.1" } });
    expect(() => grantable(["home", "gone", "away"], existing)).toThrow(refusal);
    expect(() => userChanges(admin, { permissions: "Owner", network_ids: ["home", "away"] }, existing)).toThrow(
      refusal,
    );
  });
});
