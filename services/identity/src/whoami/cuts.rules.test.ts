import { describe, expect, it } from "@jest/globals";
import type { Permission } from "@nts/shared/contract/endpoint";
import { cutsOf } from "./cuts.rules.js";

const networkIds = ["home", "office"];
const user = (permissions: Permission, network_ids: string[] = []) => ({ permissions, network_ids });
const key = (permissions: Permission, network_ids: string[] | null = null) => ({ permissions, network_ids });
const cuts = (...given: Parameters<typeof cutsOf>) => cutsOf(...given).map(({ by, right }) => `${by}: ${right}`);

describe("whoami.cuts: what keeps a caller from more", () => {
  it("is nothing for an Owner's session, nor for a key that follows its Owner", () => {
    expect(cuts({ key: null, user: user("Owner"), networkIds })).toEqual([]);
    expect(cuts({ key: key("Owner"), user: user("Owner"), networkIds })).toEqual([]);
  });

  it("is the key when it was made for less, or is restricted, even to all there is", () => {
    expect(cuts({ key: key("Viewer"), user: user("Owner"), networkIds })).toEqual(["key: permissions"]);
    expect(cuts({ key: key("Owner", networkIds), user: user("Owner"), networkIds })).toEqual(["key: network_ids"]);
  });

  it("is the user who has a lower level than the key by now, or is granted single networks", () => {
    expect(cuts({ key: key("Owner"), user: user("Member", ["home"]), networkIds })).toEqual([
      "user: permissions",
      "user: network_ids",
    ]);
    expect(cuts({ key: null, user: user("Viewer", ["home"]), networkIds })).toEqual(["user: network_ids"]);
  });

  it("is the organization when it does not have a named network any more", () => {
    expect(cuts({ key: key("Owner", ["home", "gone"]), user: user("Owner"), networkIds })).toEqual([
      "key: network_ids",
      "organization: network_ids",
    ]);
    const beyond = { key: key("Owner", ["home", "gone"]), user: user("Member", ["home"]), networkIds };
    expect(cuts(beyond)).not.toContain("organization: network_ids");
  });
});
