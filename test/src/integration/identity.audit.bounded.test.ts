import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { KEY_ADDRESSES } from "@nts/identity/storage/key-addresses";
import { MOST_AN_HOUR } from "@nts/identity/audit/hourly-limit";
import { NOBODY } from "@nts/identity/model/key.rules";
import { AUDIT } from "@nts/identity/storage/audit-trail";
import { addressBlockOf } from "@nts/shared/address-block";
import { recordKeyUses } from "@nts/shared/contract/internal";
import { deleteKey, listOrganizationKeys, revokeLeakedKeys } from "@nts/shared/contract/keys";
import { changePassword, deleteUser, login } from "@nts/shared/contract/users";
import { INTERNAL } from "@nts/shared/http/headers";
import { type Audited, startAudited } from "../support/audit.js";
import type { Person } from "../support/direct.js";
import { aReportOf } from "../support/key-uses.js";

// Entries that anonymous clients can cause, and those of many keys at once.

const HOUR_MS = 3_600_000;

let identity: Audited;
/** The limits are per hour: no hour ends while they are reached. */
let now = new Date();

beforeAll(async () => {
  const clock = { now: () => now };
  identity = await startAudited(clock, clock);
});

afterAll(() => identity.stop());

describe("identity.audit: failed logins", () => {
  const failures = (person: Person) => identity.entriesOf(person, { action: "login_failed" });
  const guess = ({ email }: Pick<Person, "email">, address: string) =>
    identity.send(login, { headers: { [INTERNAL.clientAddress]: address }, body: { email, password: "wrong" } });

  it("are recorded with the account and the address, the first one and at each power of two", async () => {
    const owner = await identity.aPerson();
    for (let failed = 0; failed < 5; failed++) await guess(owner, "203.0.113.7");
    await guess(owner, "2001:db8::1");
    await identity.settled();
    const entries = await failures(owner);
    expect(entries.map(({ address, attempts }) => [address, attempts])).toEqual([
      ["203.0.113.7", 1],
      ["203.0.113.7", 2],
      ["203.0.113.7", 4],
      ["2001:db8::1", 1],
    ]);
    expect(entries[0]).toMatchObject({ entity: "User", entity_id: owner.userId, name: owner.email, actor: null });
  });

  it("of unknown addresses are not recorded", async () => {
    const before = await identity.db.collection(AUDIT).countDocuments();
    await guess({ email: "nobody@example.com" }, "203.0.113.7");
    await identity.settled();
    expect(await identity.db.collection(AUDIT).countDocuments()).toBe(before);
  });

  it("include wrong passwords of a password change", async () => {
    const owner = await identity.aPerson();
    const body = { current_password: "wrong", new_password: "another battery staple" };
    expect(await identity.send(changePassword, { as: owner.principal, body })).toMatchObject({ status: 401 });
    await identity.settled();
    expect(await failures(owner)).toMatchObject([{ actor: { user_id: owner.userId } }]);
  });

  it("are bounded per organization, and leave the rest of its log alone", async () => {
    const owner = await identity.aPerson();
    const people = [owner, await identity.aColleague(owner, {}), await identity.aColleague(owner, {})];
    for (let from = 1; from <= 40; from++) await Promise.all(people.map((one) => guess(one, `198.51.100.${from}`)));
    await identity.settled();
    expect(await failures(owner)).toHaveLength(MOST_AN_HOUR);
    now = new Date(now.getTime() + HOUR_MS);
    await guess(owner, "198.51.100.41");
    await identity.settled();
    expect(await failures(owner)).toHaveLength(MOST_AN_HOUR + 1);
    const { id } = await identity.aKey(owner);
    expect(await identity.entriesOf(owner, { entity_id: id })).toHaveLength(1);
  });
});

describe("identity.audit: first uses of keys", () => {
  const use = (key_id: string, addresses: string[], replica = 0) =>
    identity.data(recordKeyUses, {
      ...{ as: { kind: "process" }, replica },
      body: aReportOf([{ key_id, used_at: new Date().toISOString(), addresses }]),
    });
  const firsts = (person: Person) => identity.entriesOf(person, { action: "first_used" });

  it("are recorded once per address, for IPv6 once per network, also from concurrent gateways", async () => {
    const owner = await identity.aPerson();
    const { id } = await identity.aKey(owner, { name: "backup" });
    const entries = ["203.0.113.7", "2001:db8:0:1::1", "2001:db8:0:1::2"];
    await Promise.all([use(id, entries), use(id, entries, 1), use(id, entries)]);
    await use(id, ["203.0.113.7", "203.0.113.8"]);
    const found = await firsts(owner);
    expect(found.map(({ address }) => addressBlockOf(address!))).toEqual([
      "203.0.113.7",
      "2001:db8:0:1::/64",
      "203.0.113.8",
    ]);
    expect(found[0]).toMatchObject({
      ...{ entity: "UserApiKey", entity_id: id, name: "backup" },
      actor: { user_id: owner.userId, key_id: id, email: owner.email },
    });
  });

  it("are not recorded for a key that is deleted or never existed", async () => {
    const owner = await identity.aPerson();
    const { id, params } = await identity.aKey(owner);
    await use(id, ["203.0.113.7"]);
    await identity.data(deleteKey, { as: owner.principal, params });
    await use(id, ["203.0.113.8"]);
    await use("01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f", ["203.0.113.8"]);
    expect(await identity.db.collection(KEY_ADDRESSES).countDocuments({ organization_id: owner.organizationId })).toBe(
      0,
    );
    expect(await firsts(owner)).toHaveLength(1);
  });

  it("are bounded per organization", async () => {
    const owner = await identity.aPerson();
    const { id } = await identity.aKey(owner);
    for (let from = 0; from < MOST_AN_HOUR + 16; from += 8)
      await use(
        id,
        Array.from({ length: 8 }, (_none, at) => `198.51.100.${from + at}`),
      );
    expect(await firsts(owner)).toHaveLength(MOST_AN_HOUR);
    now = new Date(now.getTime() + HOUR_MS);
    await use(id, ["203.0.113.7"]);
    expect(await firsts(owner)).toHaveLength(MOST_AN_HOUR + 1);
  });
});

describe("identity.audit: a removed user with many keys", () => {
  it("has an entry for each key, which is deleted in the background", async () => {
    const owner = await identity.aPerson();
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const keys = await Promise.all(Array.from({ length: 30 }, () => identity.aKey(admin)));
    const params = { id: admin.userId };
    await identity.data(deleteUser, { as: owner.principal, params, headers: { "change-comment": "left" } });
    for (const { secret } of keys.slice(0, 3))
      expect(await identity.verify("key", secret)).toMatchObject({ code: "api_key_invalid" });
    expect(await identity.data(listOrganizationKeys, { as: owner.principal })).toEqual([]);
    await identity.data(revokeLeakedKeys, { body: { keys: [keys[0]!.secret] } });
    await identity.purgeKeys();
    const left = await identity.db
      .collection("api_keys")
      .countDocuments({ organization_id: { $in: [owner.organizationId, NOBODY] } });
    const all = await identity.entriesOf(owner);
    const removed = all.filter(({ action, entity }) => entity === "UserApiKey" && action === "deleted");
    const removal = all.find(({ action, entity }) => action === "deleted" && entity === "User");
    expect([left, removed.map(({ entity_id }) => entity_id).sort()]).toEqual([0, keys.map(({ id }) => id).sort()]);
    const { actor, address, request_id, comment } = removal!;
    const before: unknown = expect.objectContaining({ user_id: admin.userId, organization_id: owner.organizationId });
    for (const entry of removed) expect(entry).toMatchObject({ actor, address, request_id, comment, before });
  });
});
