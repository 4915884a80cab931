import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { isAtLeast, PERMISSIONS, type Permission } from "@nts/shared/contract/endpoint";
import { verifyKey, verifySession } from "./effective.rules.js";
import type { FoundKey, FoundSession } from "../storage/credentials.js";

const HOUR_MS = 3_600_000;
const now = new Date("2026-06-01T12:00:00.000Z");
const after = (ms: number): Date => new Date(now.getTime() + ms);
const stamps = { created_at: now, updated_at: now, revision: 1 };

const user = {
  ...stamps,
  _id: "user",
  email: "ada@example.com",
  password_hash: "",
  organization_id: "organization",
  permissions: "Member" as Permission,
  network_ids: ["home", "office"],
};
const key = {
  ...stamps,
  _id: "key",
  hash: "",
  public_id: "",
  last_used: null,
  organization_id: "organization",
  user_id: "user",
  name: "Key",
  tags: [],
  expires_at: null as Date | null,
  is_enabled: true,
  network_ids: null as string[] | null,
  permissions: "Member" as Permission,
  allowed_ips: [] as string[],
  rate_limit_per_minute: null as number | null,
  previous: null,
};
const organization = {
  ...stamps,
  _id: "organization",
  name: "Acme",
  api_access_enabled: true,
  company_size: null,
  job_title: null,
};
const session = {
  _id: "session",
  hash: "",
  user_id: "user",
  organization_id: "organization",
  created_at: now,
  expires_at: after(7 * 24 * HOUR_MS),
  last_used: now,
  browser: null,
  address: null,
};

const checkKey = (found: Partial<FoundKey>) =>
  verifyKey({ number: 7, hash: "", key, user, organization, ...found }, now);
const checkSession = (found: Partial<FoundSession>, at = now) =>
  verifySession({ number: 7, session, user, organization, ...found }, at);
const refusal = (code: string, subjects: string[]) => ({ status: "refused", number: 7, code, subjects });
const all = ["key", "user", "organization"];

describe("credentials.rights: the permissions of an API key", () => {
  it("are those of its user when it is not restricted", () => {
    expect(checkKey({})).toEqual({
      status: "valid",
      number: 7,
      principal: {
        kind: "key",
        credential_id: "key",
        organization_id: "organization",
        user_id: "user",
        email: "ada@example.com",
        permission: "Member",
        networks: ["home", "office"],
      },
      expires_in_ms: null,
    });
  });

  it("never exceed those of its user, nor its own level", () => {
    const level = fc.constantFrom(...PERMISSIONS);
    const networks = fc.subarray(["home", "office", "lab"]);
    fc.assert(
      fc.property(level, level, networks, fc.option(networks), (own, ownLevel, granted, restriction) => {
        const verified = checkKey({
          user: { ...user, permissions: own, network_ids: granted },
          key: { ...key, permissions: ownLevel, network_ids: restriction },
        });
        if (verified.status !== "valid") throw new Error("refused");
        const { permission, networks: scope } = verified.principal;
        expect(isAtLeast(own, permission) && isAtLeast(ownLevel, permission)).toBe(true);
        expect([own, ownLevel]).toContain(permission);
        const reachesAll = isAtLeast(own, "Admin");
        if (scope === "all") expect([reachesAll, restriction]).toEqual([true, null]);
        else
          for (const id of scope) {
            expect(reachesAll || granted.includes(id)).toBe(true);
            expect(restriction?.includes(id) ?? true).toBe(true);
          }
      }),
    );
  });

  it("are none when its list of networks is empty, also for an Owner", () => {
    const verified = checkKey({ user: { ...user, permissions: "Owner" }, key: { ...key, network_ids: [] } });
    expect(verified).toMatchObject({ principal: { networks: [] } });
  });
});

describe("credentials.rights: when an API key is invalid", () => {
  it("expires to the millisecond, reported as a duration", () => {
    expect(checkKey({ key: { ...key, expires_at: after(1) } })).toMatchObject({ status: "valid", expires_in_ms: 1 });
    expect(checkKey({ key: { ...key, expires_at: now } })).toEqual(refusal("api_key_expired", all));
  });

  it("expires when its secret reaches the organization's current maximum age", () => {
    const permits = (days: number) => ({ organization: { ...organization, max_key_lifetime_days: days } });
    const old = { ...key, created_at: after(-48 * HOUR_MS) };
    expect(checkKey({ ...permits(3), key: old })).toMatchObject({ status: "valid", expires_in_ms: 24 * HOUR_MS });
    expect(checkKey({ ...permits(2), key: old })).toEqual(refusal("api_key_expired", all));
    expect(checkKey({ ...permits(2), key: { ...old, issued_at: after(-HOUR_MS) } })).toMatchObject({ status: "valid" });
  });

  it("is invalid when it is unknown or its user was removed", () => {
    expect(checkKey({ key: null })).toEqual(refusal("api_key_invalid", []));
    expect(checkKey({ user: null })).toEqual(refusal("api_key_invalid", []));
  });

  it("is invalid while it is disabled, or while the organization rejects API keys", () => {
    expect(checkKey({ key: { ...key, is_enabled: false } })).toEqual(refusal("api_key_disabled", all));
    expect(checkKey({ organization: { ...organization, api_access_enabled: false } })).toEqual(
      refusal("api_access_disabled", all),
    );
  });
});

describe("credentials.rights: the limits of an API key", () => {
  const limited = { ...key, allowed_ips: ["10.0.0.0/8"], rate_limit_per_minute: 5 };

  it("are reported with the principal", () => {
    expect(checkKey({ key: limited })).toMatchObject({ limits: { allowed_ips: ["10.0.0.0/8"], per_minute: 5 } });
  });

  it("are those of a collector if it may only import", () => {
    const { principal } = checkKey({ key: { ...key, scope: "collect" } }) as { principal: object };
    expect(principal).toMatchObject({ is_collecting: true, is_limited: true });
    expect(checkKey({ key: { ...key, scope: "full" } })).not.toMatchObject({ principal: { is_collecting: true } });
  });

  it("end the previous secret when its grace period or the key ends, whichever is first", () => {
    const previous = { hash: "old", issued_at: now, since: now, expires_at: after(HOUR_MS), last_used: null };
    const check = (expires_at: Date | null) => checkKey({ hash: "old", key: { ...key, expires_at, previous } });
    expect(check(null)).toMatchObject({ status: "valid", is_previous: true, expires_in_ms: HOUR_MS });
    expect(check(after(1))).toMatchObject({ expires_in_ms: 1 });
    expect(checkKey({ hash: "older", key: { ...key, previous } })).toEqual(refusal("api_key_invalid", all));
  });
});

describe("credentials.rights: the permissions of a session", () => {
  it("are those of its user, with all networks from Admin upwards", () => {
    expect(checkSession({})).toMatchObject({ principal: { kind: "session", permission: "Member" } });
    for (const permissions of PERMISSIONS)
      expect(checkSession({ user: { ...user, permissions } })).toMatchObject({
        principal: { permission: permissions, networks: isAtLeast(permissions, "Admin") ? "all" : user.network_ids },
      });
  });

  it("end at its expiry", () => {
    expect(checkSession({ session: { ...session, expires_at: now } })).toEqual(refusal("session_expired", []));
    expect(checkSession({ session: null })).toEqual(refusal("session_expired", []));
    expect(checkSession({ organization: null })).toEqual(refusal("session_expired", []));
    expect(checkSession({ user: null })).toEqual(refusal("session_expired", []));
  });

  it("last as long as the present use extends it", () => {
    expect(checkSession({}, after(2 * HOUR_MS))).toMatchObject({ expires_in_ms: 7 * 24 * HOUR_MS });
  });
});
