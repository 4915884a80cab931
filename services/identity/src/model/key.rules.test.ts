import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PERMISSIONS } from "@nts/shared/contract/endpoint";
import type { UserApiKeyInput } from "@nts/shared/contract/keys";
import { AppError } from "@nts/shared/errors";
import { keyResponse } from "./key-response.js";
import {
  keyChanges,
  networkIdsOf,
  newKeySettings,
  rotated,
  secretOf,
  touchesRights,
  type Grantor,
  type KeyDocument,
} from "./key.rules.js";

const now = new Date("2026-06-01T12:00:00.000Z");
const past = "2026-06-01T12:00:00.000Z";
const future = "2026-06-01T12:00:00.001Z";
const [home, office, lab] = ["0000-home", "0001-office", "0002-lab"] as const;

const managedTag = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const otherTag = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e60";

const member: Grantor = {
  userId: "user",
  organizationId: "organization",
  permission: "Member",
  networkIds: [home, office],
  tagIds: [managedTag],
  maxLifetimeDays: null,
};
const required = { name: "Key", organization_id: "organization", user_id: "user", tags: ["ci"] };

const stored: KeyDocument = {
  _id: "key",
  hash: "hash",
  public_id: "AAAAAAAA",
  created_at: now,
  updated_at: now,
  revision: 3,
  last_used: null,
  organization_id: "organization",
  user_id: "user",
  name: "Key",
  tags: ["ci"],
  expires_at: null,
  is_enabled: true,
  network_ids: null,
  permissions: "Viewer",
  allowed_ips: [],
  rate_limit_per_minute: null,
  previous: null,
};

const create = (input: Partial<UserApiKeyInput>, grantor = member) =>
  newKeySettings({ ...required, ...input }, grantor, now);
const update = (current: Partial<KeyDocument>, input: Partial<UserApiKeyInput>, grantor = member) =>
  keyChanges({ ...stored, ...current }, { ...required, ...input }, grantor, now);

function refusal(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    return error instanceof AppError ? { code: error.code, params: error.params } : error;
  }
}

describe("keys.key: creating", () => {
  it("makes an enabled Viewer without expiry that follows its user, by default", () => {
    expect(create({})).toEqual({
      name: "Key",
      tags: ["ci"],
      expires_at: null,
      is_enabled: true,
      network_ids: null,
      permissions: "Viewer",
      scope: "full",
      allowed_ips: [],
      rate_limit_per_minute: null,
    });
  });

  it("makes a Member of one that is to collect", () => {
    expect(create({ scope: "collect" })).toMatchObject({ permissions: "Member", scope: "collect" });
    expect(create({ scope: "collect", permissions: "Viewer" })).toMatchObject({ permissions: "Viewer" });
  });

  it("rejects a level above its creator's", () => {
    PERMISSIONS.forEach((own, ownRank) => {
      PERMISSIONS.forEach((requested, requestedRank) => {
        const made = refusal(() => create({ permissions: requested }, { ...member, permission: own }));
        expect(made).toMatchObject(
          ownRank <= requestedRank
            ? { permissions: requested }
            : { code: "permission_denied", params: { required: requested } },
        );
      });
    });
  });

  it("rejects networks that its creator may not use", () => {
    expect(refusal(() => create({ network_ids: [home, lab] }))).toEqual({
      code: "invalid_reference",
      params: { path: "network_ids.1" },
    });
  });

  it("restricts to a list, also an empty one or one of all networks, and does not restrict with null", () => {
    expect(create({ network_ids: [] }).network_ids).toEqual([]);
    expect(create({ network_ids: [office, home, office] }).network_ids).toEqual([office, home]);
    expect(create({ network_ids: null }).network_ids).toBeNull();
  });

  it("rejects an expiry in the past", () => {
    expect(refusal(() => create({ expires_at: past }))).toEqual({
      code: "validation_failed",
      params: { errors: [{ path: "expires_at", message: "must be in the future" }] },
    });
    expect(create({ expires_at: future }).expires_at).toEqual(new Date(future));
  });

  it("rejects another owner", () => {
    expect(refusal(() => create({ user_id: "another" }))).toMatchObject({ code: "permission_denied" });
    expect(refusal(() => create({ organization_id: "another" }))).toMatchObject({ code: "permission_denied" });
  });

  it("accepts as tags free labels and existing managed tags", () => {
    expect(create({ tags: ["ci", managedTag] }).tags).toEqual(["ci", managedTag]);
    const tags = ["ci", otherTag];
    expect(refusal(() => create({ tags }))).toEqual({ code: "invalid_reference", params: { path: "tags.1" } });
  });
});

describe("keys.key: what an update changes", () => {
  it("is nothing for absent members", () => {
    const current = { expires_at: now, is_enabled: false, network_ids: [home], permissions: "Owner" } as const;
    expect(update({ ...current, network_ids: [home] }, {})).toEqual({});
  });

  it("is nothing for a record sent back as it was returned, whatever has changed since", () => {
    const anyKey = fc.record({
      name: fc.string(),
      tags: fc.array(fc.string()),
      expires_at: fc.option(fc.date({ noInvalidDate: true })),
      is_enabled: fc.boolean(),
      network_ids: fc.option(fc.subarray([home, office, lab])),
      permissions: fc.constantFrom(...PERMISSIONS),
      last_used: fc.option(fc.date({ noInvalidDate: true })),
    });
    const anyGrantor = fc.record({
      permission: fc.constantFrom(...PERMISSIONS),
      networkIds: fc.subarray([home, office, lab]),
    });
    fc.assert(
      fc.property(anyKey, anyGrantor, (settings, rights) => {
        const key = { ...stored, ...settings };
        const grantor = { ...member, ...rights };
        expect(keyChanges(key, keyResponse(key, grantor), grantor, now)).toEqual({});
      }),
    );
  });

  it("is nothing for the networks as returned, in any order and with duplicates, restricted or not", () => {
    expect(update({ network_ids: null }, { network_ids: [office, home, home] })).toEqual({});
    expect(update({ network_ids: [home, lab] }, { network_ids: [home] })).toEqual({});
  });

  it("is the restriction for any other list", () => {
    expect(update({ network_ids: null }, { network_ids: [home] })).toEqual({ network_ids: [home] });
    expect(update({ network_ids: null }, { network_ids: [] })).toEqual({ network_ids: [] });
    expect(update({ network_ids: [home] }, { network_ids: [home, office] })).toEqual({ network_ids: [home, office] });
  });

  it("is the removal of the restriction for null", () => {
    expect(update({ network_ids: [home] }, { network_ids: null })).toEqual({ network_ids: null });
    expect(update({ network_ids: null }, { network_ids: null })).toEqual({});
  });
});

describe("keys.key: the rules of an update", () => {
  it("keep a tag that the key already has, also when the tag was deleted", () => {
    expect(update({ tags: [otherTag] }, { tags: [otherTag, "new"] })).toEqual({ tags: [otherTag, "new"] });
  });

  it("remove the expiry for null", () => {
    expect(update({ expires_at: now }, { expires_at: null })).toEqual({ expires_at: null });
  });

  it("are those of creation", () => {
    expect(refusal(() => update({}, { permissions: "Admin" }))).toMatchObject({ code: "permission_denied" });
    expect(refusal(() => update({}, { expires_at: past }))).toMatchObject({ code: "validation_failed" });
    expect(refusal(() => update({ network_ids: [home] }, { network_ids: [home, lab] }))).toMatchObject({
      code: "invalid_reference",
      params: { path: "network_ids.1" },
    });
    expect(refusal(() => update({}, { user_id: "another" }))).toMatchObject({ code: "permission_denied" });
  });

  it("notify the gateways when permissions change", () => {
    expect(touchesRights({ name: "New", tags: [] })).toBe(false);
    for (const changes of [
      { expires_at: now },
      { is_enabled: false },
      { network_ids: null },
      { permissions: "Viewer" },
      { scope: "collect" },
      { allowed_ips: [] },
      { rate_limit_per_minute: null },
    ])
      expect(touchesRights(changes as never)).toBe(true);
  });
});

describe("keys.key: the secrets of a key", () => {
  const next = { hash: "next", publicId: "BBBBBBBB" };
  const after = (ms: number): Date => new Date(now.getTime() + ms);

  it("are two during a rotation, and one after the grace period", () => {
    const key = { ...stored, ...rotated(stored, next, 60, now) };
    expect(secretOf(key, "next", now)).toBe("current");
    expect([secretOf(key, "hash", after(59_999)), secretOf(key, "hash", after(60_000))]).toEqual(["previous", null]);
    expect(secretOf(key, "another", now)).toBeNull();
  });

  it("are one after a rotation without grace period, and never three after another rotation", () => {
    expect(secretOf({ ...stored, ...rotated(stored, next, 0, now) }, "hash", now)).toBeNull();
    const once = { ...stored, ...rotated(stored, next, 60, now) };
    const twice = { ...once, ...rotated(once, { hash: "third", publicId: "C" }, 60, now) };
    expect(["third", "next", "hash"].map((hash) => secretOf(twice, hash, now))).toEqual(["current", "previous", null]);
  });
});

describe("keys.key: the networks that a key may use", () => {
  it("are those of its user, intersected with its list when it has one", () => {
    const networks = fc.subarray([home, office, lab]);
    fc.assert(
      fc.property(fc.option(networks), networks, (network_ids, ofUser) => {
        const usable = networkIdsOf({ network_ids }, ofUser);
        expect(usable).toEqual(ofUser.filter((id) => network_ids?.includes(id) ?? true));
      }),
    );
  });
});
