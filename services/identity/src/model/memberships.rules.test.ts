import { describe, expect, it } from "@jest/globals";
import { type Membership, newUser, type UserDocument } from "./user.js";
import { membershipsOf, userIn, userWhereLast, withMembership, withoutMembership } from "./memberships.rules.js";

const NOW = new Date("2026-11-24T09:00:00Z");

function account(...organizations: string[]): UserDocument {
  const [first = "", ...others] = organizations;
  const own = { id: "ada", email: "ada@example.com", passwordHash: "", networkIds: [], now: NOW };
  return {
    ...newUser({ ...own, organizationId: first, permissions: "Owner" }),
    other_memberships: others.map((one) => membershipIn(one)),
  };
}

function membershipIn(organization_id: string, revision = 1): Membership {
  return { organization_id, created_at: NOW, updated_at: NOW, revision, permissions: "Viewer", network_ids: ["n"] };
}

const idsOf = (user: UserDocument): string[] => membershipsOf(user).map(({ organization_id }) => organization_id);

describe("users.memberships: an account with several organizations", () => {
  it("is a user of each, with its level there, and loses none by joining another", () => {
    const user = account("a", "b", "c");
    const inB = userIn(user, "b");
    expect(inB).toMatchObject({ organization_id: "b", permissions: "Viewer", network_ids: ["n"], email: user.email });
    expect(inB && idsOf(inB)).toEqual(["b", "a", "c"]);
    expect(inB && userIn(inB, "a")).toMatchObject({ organization_id: "a", permissions: "Owner" });
    expect([userIn(user, "a"), userIn(user, "d")]).toEqual([user, null]);
  });

  it("acts in the organization of the last sign-in, while it belongs to that one", () => {
    const user = account("a", "b");
    expect(userWhereLast({ ...user, last_organization_id: "b" }).organization_id).toBe("b");
    expect(userWhereLast({ ...user, last_organization_id: "gone" }).organization_id).toBe("a");
    expect(userWhereLast(user).organization_id).toBe("a");
  });

  it("changes in one organization or joins another, whichever is stored in the document itself", () => {
    const user = account("a", "b");
    const joined = { ...user, ...withMembership(user, membershipIn("c")) };
    expect(idsOf(joined)).toEqual(["a", "b", "c"]);
    const changed = { ...joined, ...withMembership(joined, membershipIn("b", 7)) };
    expect(membershipsOf(changed).map(({ revision }) => revision)).toEqual([1, 7, 1]);
    expect({ ...changed, ...withMembership(changed, membershipIn("a", 9)) }).toMatchObject({
      revision: 9,
      permissions: "Viewer",
    });
  });

  it("continues in the next organization when it leaves the stored one, and ends with the last one", () => {
    const user = account("a", "b", "c");
    const left = { ...user, ...withoutMembership(user, "a") };
    expect(left).toMatchObject({ organization_id: "b", permissions: "Viewer" });
    expect(idsOf(left)).toEqual(["b", "c"]);
    expect(idsOf({ ...left, ...withoutMembership(left, "c") })).toEqual(["b"]);
    expect(withoutMembership(account("a"), "a")).toBeNull();
  });
});
