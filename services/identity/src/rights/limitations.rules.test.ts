import { describe, expect, it } from "@jest/globals";
import type { Permission } from "@nts/shared/contract/endpoint";
import { limitationsOf } from "./limitations.rules.js";

const networkIds = ["home", "office"];
const user = (permissions: Permission, network_ids: string[] = []) => ({ permissions, network_ids });
const key = (permissions: Permission, network_ids: string[] | null = null) => ({ permissions, network_ids });
const cuts = (...given: Parameters<typeof limitationsOf>) =>
  limitationsOf(...given).map(({ by, right }) => `${by}: ${right}`);

describe("whoami.cuts: what limits a caller", () => {
  it("is nothing for an Owner's session, and for a key that follows its Owner", () => {
    expect(cuts({ key: null, user: user("Owner"), networkIds })).toEqual([]);
    expect(cuts({ key: key("Owner"), user: user("Owner"), networkIds })).toEqual([]);
  });

  it("is the key when its level is lower, or when it is restricted, even to all networks", () => {
    expect(cuts({ key: key("Viewer"), user: user("Owner"), networkIds })).toEqual(["key: permissions"]);
    expect(cuts({ key: key("Owner", networkIds), user: user("Owner"), networkIds })).toEqual(["key: network_ids"]);
  });

  it("is the user who now has a lower level than the key, or is granted single networks", () => {
    expect(cuts({ key: key("Owner"), user: user("Member", ["home"]), networkIds })).toEqual([
      "user: permissions",
      "user: network_ids",
    ]);
    expect(cuts({ key: null, user: user("Viewer", ["home"]), networkIds })).toEqual(["user: network_ids"]);
  });

  it("is the organization when a named network no longer exists there", () => {
    expect(cuts({ key: key("Owner", ["home", "gone"]), user: user("Owner"), networkIds })).toEqual([
      "key: network_ids",
      "organization: network_ids",
    ]);
    const beyond = { key: key("Owner", ["home", "gone"]), user: user("Member", ["home"]), networkIds };
    expect(cuts(beyond)).not.toContain("organization: network_ids");
  });
});
