import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createApiKey } from "@nts/shared/api-key";
import { letAssistantIn } from "@nts/shared/contract/assistants";
import {
  issueToken,
  recordKeyUses,
  registerAssistant,
  type TokenRequest,
  type Verification,
  verifyCredential,
} from "@nts/shared/contract/internal";
import {
  createKey,
  deleteOrganizationKey,
  finishRotation,
  getKey,
  listOrganizationKeys,
  revokeLeakedKeys,
  rotateKey,
  updateKey,
  type UserApiKey,
} from "@nts/shared/contract/keys";
import { patchOrganization } from "@nts/shared/contract/organizations";
import { hashCredential } from "@nts/shared/credential";
import { type Audited, startAudited } from "../support/audit.js";
import { type DirectKey, keyBodyOf, type Person } from "../support/direct.js";
import { aReportOf } from "../support/key-uses.js";
import { aPkce, requestOf } from "../support/oauth.js";

const HOUR_S = 3_600;
const UNKNOWN = "01938c4a-7d5e-7b21-9f3c-000000000000";
const PROCESS = { kind: "process" } as const;

let identity: Audited;

beforeAll(async () => {
  identity = await startAudited();
});
afterAll(() => identity.stop());

const stored = () =>
  identity.db.collection<{ _id: string; hash: string; previous: object | null; form: number }>("api_keys");
const rotate = ({ principal: as }: Person, { params }: DirectKey, grace_seconds: number, replica = 0) =>
  identity.data(rotateKey, { as, params, query: { grace_seconds }, replica });
const read = ({ principal: as }: Person, { params }: DirectKey) => identity.data(getKey, { as, params });
const finish = ({ principal: as }: Person, { params }: DirectKey) => identity.send(finishRotation, { as, params });
const report = (...keys: string[]) => identity.send(revokeLeakedKeys, { body: { keys } });

function verify(secret: string): Promise<Verification> {
  return identity.data(verifyCredential, { as: PROCESS, body: { kind: "key", hash: hashCredential(secret) } });
}
async function statesOf(...secrets: string[]): Promise<string[]> {
  const verified = await Promise.all(secrets.map((secret) => verify(secret)));
  return verified.map((one) => (one.status === "valid" ? "valid" : one.code));
}

describe("identity.rotations: a key rotated with a grace period", () => {
  it("has two secrets and one id, and its record contains the end of the old one", async () => {
    const person = await identity.aPerson();
    const key = await identity.aKey(person);
    const next = await rotate(person, key, HOUR_S);
    expect(await statesOf(key.secret, next)).toEqual(["valid", "valid"]);
    const old = await verify(key.secret);
    expect(old).toMatchObject({ is_previous: true, principal: { credential_id: key.id } });
    expect(old.status === "valid" && (old.expires_in_ms ?? Infinity) <= HOUR_S * 1_000).toBe(true);
    const { previous } = await read(person, key);
    expect(Date.parse(previous?.expires_at ?? "")).toBeGreaterThan(Date.now() + (HOUR_S - 60) * 1_000);
    expect(previous?.last_used).toBeNull();
    expect(JSON.stringify(await stored().findOne({ _id: key.id }))).not.toContain(key.secret);
  });

  it("reports which secret was used, and a use before the rotation is not one of the old secret", async () => {
    const person = await identity.aPerson();
    const key = await identity.aKey(person);
    const before = new Date(Date.now() - 1_000).toISOString();
    await rotate(person, key, HOUR_S);
    const use = (used_at: string, is_previous: boolean) =>
      identity.data(recordKeyUses, { as: PROCESS, body: aReportOf([{ key_id: key.id, used_at, is_previous }]) });
    await use(before, true);
    await use(new Date().toISOString(), false);
    expect((await read(person, key)).previous?.last_used).toBeNull();
    const now = new Date().toISOString();
    await use(now, true);
    expect((await read(person, key)).previous?.last_used).toBe(now);
  });

  it("loses the old secret when the rotation is finished, repeatedly", async () => {
    const person = await identity.aPerson();
    const key = await identity.aKey(person);
    const next = await rotate(person, key, HOUR_S);
    expect((await finish(person, key)).data.previous).toBeNull();
    expect(await statesOf(key.secret, next)).toEqual(["api_key_invalid", "valid"]);
    expect((await finish(person, key)).status).toBe(200);
    expect((await finish(await identity.aPerson(), key)).status).toBe(404);
  });
});

describe("identity.rotations: the end of the old secret", () => {
  it("comes with another rotation, and both end with one without grace period, so that there are never three", async () => {
    const person = await identity.aPerson();
    const key = await identity.aKey(person);
    const second = await rotate(person, key, HOUR_S);
    const third = await rotate(person, key, HOUR_S, 1);
    expect(await statesOf(key.secret, second, third)).toEqual(["api_key_invalid", "valid", "valid"]);
    const fourth = await rotate(person, key, 0);
    expect(await statesOf(second, third, fourth)).toEqual(["api_key_invalid", "api_key_invalid", "valid"]);
  });

  it("comes at its time, and with the key when that is disabled or expires", async () => {
    const person = await identity.aPerson();
    const key = await identity.aKey(person);
    const next = await rotate(person, key, HOUR_S);
    await stored().updateOne({ _id: key.id }, { $set: { "previous.expires_at": new Date() } as never });
    expect(await statesOf(key.secret, next)).toEqual(["api_key_invalid", "valid"]);
    const last = await rotate(person, key, HOUR_S);
    const body = keyBodyOf(person, { is_enabled: false });
    await identity.data(updateKey, { as: person.principal, params: key.params, body });
    expect(await statesOf(next, last)).toEqual(["api_key_disabled", "api_key_disabled"]);
  });
});

describe("identity.rotations: keys with a maximum age of secrets", () => {
  const DAY_MS = 86_400_000;
  const limitTo = async ({ principal: as, organizationId: id }: Person, max_key_lifetime_days: number | null) =>
    identity.send(patchOrganization, { as, params: { id }, body: { max_key_lifetime_days } });
  const ageBy = ({ id }: DirectKey, days: number) => {
    const created_at = new Date(Date.now() - days * DAY_MS);
    return stored().updateOne({ _id: id }, { $set: { created_at } as never });
  };

  it("expire when an Owner shortens it, on every replica, and are valid again when it is removed", async () => {
    const person = await identity.aPerson();
    const old = await identity.aKey(person);
    const fresh = await identity.aKey(person);
    await ageBy(old, 10);
    expect((await read(person, old)).ends_at).toBeNull();
    expect((await limitTo(person, 11)).data.max_key_lifetime_days).toBe(11);
    expect(await statesOf(old.secret, fresh.secret)).toEqual(["valid", "valid"]);
    expect((await limitTo(person, 9)).status).toBe(200);
    expect(await statesOf(old.secret, fresh.secret)).toEqual(["api_key_expired", "valid"]);
    const { ends_at, expires_at } = await read(person, old);
    expect([Date.parse(ends_at ?? "") < Date.now(), expires_at]).toEqual([true, null]);
    const [listed] = (await identity.data(listOrganizationKeys, { as: person.principal })) as unknown as UserApiKey[];
    expect(listed?.ends_at).toBe(ends_at);
    await limitTo(person, null);
    expect(await statesOf(old.secret)).toEqual(["valid"]);
    const [entry] = (await identity.entriesOf(person)).slice(-1);
    expect(entry).toMatchObject({ entity: "Organization", action: "updated", fields: ["max_key_lifetime_days"] });
  });

  it("stay valid through a rotation, whose grace period does not exceed the maximum age", async () => {
    const person = await identity.aPerson();
    const key = await identity.aKey(person);
    await ageBy(key, 10);
    await limitTo(person, 9);
    const next = await rotate(person, key, HOUR_S);
    expect(await statesOf(key.secret, next)).toEqual(["api_key_expired", "valid"]);
    const { previous, ends_at } = await read(person, key);
    expect(previous).toBeNull();
    expect(Date.parse(ends_at ?? "")).toBeGreaterThan(Date.now() + 8 * DAY_MS);
  });

  it("are limited by Owners alone, to whole days of at least one", async () => {
    const owner = await identity.aPerson();
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    expect(await limitTo(admin, 9)).toMatchObject({ status: 403, code: "permission_denied" });
    for (const wrong of [0, 1.5, 3_651, "9"])
      expect(await limitTo(owner, wrong as number)).toMatchObject({ status: 400, code: "validation_failed" });
  });
});

describe("identity.rotations: a key with allowed addresses or a rate limit", () => {
  const limits = { allowed_ips: ["203.0.113.7", "2001:DB8::/32", "::ffff:10.0.0.0/104"], rate_limit_per_minute: 30 };

  it("is returned with its blocks in canonical form, and verified with them", async () => {
    const person = await identity.aPerson();
    const { record, secret } = await identity.aKey(person, limits);
    const allowed_ips = ["203.0.113.7/32", "2001:db8::/32", "10.0.0.0/8"];
    expect(record).toMatchObject({ allowed_ips, rate_limit_per_minute: 30 });
    expect(await verify(secret)).toMatchObject({ limits: { allowed_ips, per_minute: 30 } });
  });

  it("is rejected with an invalid block, with its place", async () => {
    const person = await identity.aPerson();
    for (const wrong of ["10.0.0.1/8", "10.0.0.0/33", "nothing", "::ffff:0.0.0.0/90"]) {
      const body = keyBodyOf(person, { allowed_ips: ["10.0.0.0/8", wrong] });
      const { status, params } = await identity.send(createKey, { as: person.principal, body });
      expect([wrong, status, params]).toMatchObject([wrong, 400, { errors: [{ path: "allowed_ips.1" }] }]);
    }
  });
});

describe("identity.rotations: a leaked key", () => {
  it("is revoked by anybody who has it, with an audit entry for its user's organization", async () => {
    const person = await identity.aPerson();
    const leaked = await identity.aKey(person);
    const other = await identity.aKey(person);
    const headers = { "x-client-address": "203.0.113.9" };
    const { status, text } = await identity.send(revokeLeakedKeys, {
      headers,
      body: { keys: [` ${leaked.secret}\n`] },
    });
    expect([status, text]).toEqual([200, "null"]);
    expect(await statesOf(leaked.secret, other.secret)).toEqual(["api_key_invalid", "valid"]);
    const [entry] = (await identity.entriesOf(person)).slice(-1);
    expect(entry).toMatchObject({ action: "revoked", entity_id: leaked.id, actor: null, address: "203.0.113.9" });
  });

  it("gets the same response as one that never existed, and as any other text", async () => {
    const { secret } = await identity.aKey(await identity.aPerson());
    const responses = await Promise.all(
      [secret, createApiKey().secret, "nothing of the kind"].map((key) => report(key)),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await report(secret)).status).toBe(200);
  });

  it("keeps its new secret when the old one was reported", async () => {
    const person = await identity.aPerson();
    const key = await identity.aKey(person);
    const next = await rotate(person, key, HOUR_S);
    await report(key.secret);
    expect(await statesOf(key.secret, next)).toEqual(["api_key_invalid", "valid"]);
    expect((await read(person, key)).previous).toBeNull();
  });

  it("is revoked once by concurrent reports, which may contain many keys", async () => {
    const person = await identity.aPerson();
    const keys = [await identity.aKey(person), await identity.aKey(person)].map(({ secret }) => secret);
    const responses = await Promise.all([report(...keys), report(...keys.reverse())]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect((await identity.actionsOf(person)).filter((one) => one === "UserApiKey revoked")).toHaveLength(2);
    const tooMany = Array.from({ length: 11 }, () => createApiKey().secret);
    expect(await report(...tooMany)).toMatchObject({ status: 400, code: "validation_failed" });
  });
});

describe("identity.rotations: the keys of an organization", () => {
  const listOf = ({ principal: as }: Person, query = {}) =>
    identity.data(listOrganizationKeys, { as, query }) as unknown as Promise<UserApiKey[]>;

  it("are listed for its Owners only, of all users", async () => {
    const owner = await identity.aPerson();
    const stranger = await identity.aPerson();
    const member = await identity.aColleague(owner, {});
    const own = await identity.aKey(owner);
    const theirs = await identity.aKey(member);
    await identity.aKey(stranger);
    expect((await listOf(owner)).map(({ id }) => id)).toEqual([own.id, theirs.id]);
    expect((await listOf(owner, { user_id: member.userId })).map(({ id }) => id)).toEqual([theirs.id]);
    expect(await listOf(owner, { user_id: stranger.userId })).toEqual([]);
    expect(JSON.stringify(await listOf(owner))).not.toContain(theirs.secret);
  });

  it("are deleted by its Owners, and those of another organization are not found", async () => {
    const owner = await identity.aPerson();
    const stranger = await identity.aPerson();
    const theirs = await identity.aKey(await identity.aColleague(owner, {}));
    const foreign = await identity.aKey(stranger);
    const end = (id: string) => identity.send(deleteOrganizationKey, { as: owner.principal, params: { id } });
    expect((await end(theirs.id)).status).toBe(200);
    expect((await end(foreign.id)).text).toBe((await end(UNKNOWN)).text);
    expect(await statesOf(theirs.secret, foreign.secret)).toEqual(["api_key_invalid", "valid"]);
    const [entry] = (await identity.entriesOf(owner)).slice(-1);
    expect(entry).toMatchObject({ action: "deleted", entity_id: theirs.id, actor: { user_id: owner.userId } });
  });
});

describe("identity.rotations: the access of an assistant", () => {
  const REDIRECT = "http://127.0.0.1/callback";
  const { challenge, verifier } = aPkce();

  async function aCode({ principal }: Person): Promise<{ readonly client_id: string; readonly code: string }> {
    const body = { client_name: "Helper", redirect_uris: [REDIRECT] };
    const registered = await identity.data(registerAssistant, { as: PROCESS, body });
    const client_id = registered.status === "registered" ? registered.client_id : "";
    const request = { ...requestOf(client_id, { challenge }), client_id };
    const consent = { request, permissions: "Viewer", network_ids: null } as const;
    const { redirect_to } = await identity.data(letAssistantIn, { as: principal, body: consent });
    return { client_id, code: new URL(redirect_to).searchParams.get("code") ?? "" };
  }
  const issue = (body: TokenRequest) => identity.data(issueToken, { as: PROCESS, body });
  const exchange = async (given: { readonly client_id: string; readonly code: string }) => {
    const issued = await issue({ grant_type: "authorization_code", code_verifier: verifier, ...given });
    return issued.status === "issued" ? issued : null;
  };
  const refresh = (client_id: string, refresh_token: string) =>
    issue({ grant_type: "refresh_token", client_id, refresh_token });
  const change = (client_id: string, set: object) =>
    identity.db.collection("api_keys").updateOne({ "grant.client_id": client_id }, { $set: set });
  const past = new Date(Date.now() - 1_000);

  it("begins within two minutes of the consent", async () => {
    const given = await aCode(await identity.aPerson());
    const codes = identity.db.collection<{ _id: string }>("authorization_codes");
    const its = { _id: hashCredential(given.code) };
    await codes.updateOne(its, { $set: { created_at: new Date(Date.now() - 121_000) } });
    expect(await exchange(given)).toBeNull();
    await codes.updateOne(its, { $set: { created_at: new Date() } });
    expect(await exchange(given)).not.toBeNull();
  });

  it("has a token of an hour and can be renewed for thirty days, and is removed then", async () => {
    const person = await identity.aPerson();
    const given = await aCode(person);
    const first = await exchange(given);
    const verified = await verify(first?.access_token ?? "");
    expect(verified).toMatchObject({ status: "valid", principal: { kind: "key", is_limited: true } });
    expect(verified.status === "valid" && (verified.expires_in_ms ?? Infinity) <= HOUR_S * 1_000).toBe(true);
    await change(given.client_id, { "grant.token_ends_at": past });
    expect(await statesOf(first?.access_token ?? "")).toEqual(["api_key_expired"]);
    const second = await refresh(given.client_id, first?.refresh_token ?? "");
    expect(second.status === "issued" && (await statesOf(second.access_token))).toEqual(["valid"]);
    await change(given.client_id, { "grant.ends_at": past });
    expect(second.status === "issued" && (await refresh(given.client_id, second.refresh_token))).toMatchObject({
      error: "invalid_grant",
    });
    await identity.removeEndedGrants();
    expect(await stored().countDocuments({ user_id: person.userId })).toBe(0);
  });

  it("is not renewed while its key is disabled, and takes the place of an earlier one", async () => {
    const person = await identity.aPerson();
    const given = await aCode(person);
    const first = await exchange(given);
    await change(given.client_id, { is_enabled: false });
    expect(await refresh(given.client_id, first?.refresh_token ?? "")).toMatchObject({ error: "invalid_grant" });
    await change(given.client_id, { is_enabled: true });
    const request = { ...requestOf(given.client_id, { challenge }), client_id: given.client_id };
    const consent = { request, permissions: "Viewer", network_ids: null } as const;
    const { redirect_to } = await identity.data(letAssistantIn, { as: person.principal, body: consent });
    const again = await exchange({ ...given, code: new URL(redirect_to).searchParams.get("code") ?? "" });
    expect(await statesOf(first?.access_token ?? "", again?.access_token ?? "")).toEqual(["api_key_invalid", "valid"]);
    expect(await refresh(given.client_id, first?.refresh_token ?? "")).toMatchObject({ error: "invalid_grant" });
    expect(await stored().countDocuments({ user_id: person.userId })).toBe(1);
  });
});
