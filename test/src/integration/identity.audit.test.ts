import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { KEY_ADDRESSES } from "@nts/identity/audit/key-addresses";
import { keepAudit } from "@nts/identity/audit/retention";
import { MOST_AN_HOUR } from "@nts/identity/audit/room";
import { AUDIT } from "@nts/identity/audit/trail";
import { addressBlockOf } from "@nts/shared/address-block";
import { type AuditEntry, listAudit } from "@nts/shared/contract/audit";
import { recordKeyUses } from "@nts/shared/contract/internal";
import { createInvite, revokeInvite } from "@nts/shared/contract/invites";
import { createKey, deleteKey, rotateKey, updateKey } from "@nts/shared/contract/keys";
import { patchOrganization, updateOrganizationProfile } from "@nts/shared/contract/organizations";
import { changePassword, deleteUser, login, logout, updateUser } from "@nts/shared/contract/users";
import { hashCredential } from "@nts/shared/credential";
import { INTERNAL, REQUEST_ID } from "@nts/shared/http/headers";
import { keyBodyOf, type Person, tokenOf } from "../support/direct.js";
import { type Identity, startIdentity } from "../support/identity.js";

let identity: Identity;

beforeAll(async () => {
  // What a password costs to check is not the matter here.
  const passwords = {
    hash: (password: string) => Promise.resolve(`$argon2 of ${hashCredential(password)}`),
    matches: (hash: string | null, password: string) =>
      Promise.resolve(hash === `$argon2 of ${hashCredential(password)}`),
  };
  identity = await startIdentity({ replicas: [{ passwords }, { passwords }] });
});

afterAll(() => identity.stop());

type Query = NonNullable<Parameters<typeof identity.ask<typeof listAudit>>[1]["query"]>;

const ask = ({ principal }: Pick<Person, "principal">, query: Query = {}) =>
  identity.ask(listAudit, { as: principal, query });

async function entriesOf(person: Pick<Person, "principal">, query: Query = {}): Promise<AuditEntry[]> {
  const { status, data, text } = await ask(person, { limit: 1000, ...query });
  if (status !== 200) throw new Error(text);
  return data;
}

const told = async (person: Person, query?: Query): Promise<string[]> =>
  (await entriesOf(person, query)).map(({ action, entity }) => `${entity} ${action}`);

const aKeyBody = (person: Person) => ({ body: keyBodyOf(person) });

describe("identity.audit: what happened", () => {
  it("is told of everything that changes an account or lets somebody in, in its order", async () => {
    const owner = await identity.aPerson();
    const as = owner.principal;
    const { params } = await identity.aKey(owner);
    await identity.data(updateKey, { as, params, body: keyBodyOf(owner, { name: "Other" }) });
    await identity.data(updateKey, { as, params, body: keyBodyOf(owner, { name: "Other" }) });
    await identity.data(rotateKey, { as, params });
    await identity.data(deleteKey, { as, params });
    const { id } = await identity.data(createInvite, { as, body: { permissions: "Viewer" } });
    await identity.data(revokeInvite, { as, params: { id } });
    await identity.data(patchOrganization, { as, params: { id: owner.organizationId }, body: { name: "Renamed" } });
    await identity.data(updateOrganizationProfile, { as, body: { job_title: "Admin" } });
    await identity.data(changePassword, {
      as,
      body: { current_password: owner.password, new_password: "another battery staple" },
    });
    expect(await told(owner)).toEqual([
      "Organization created",
      "Session created",
      "User created",
      "UserApiKey created",
      "UserApiKey updated",
      "UserApiKey rotated",
      "UserApiKey deleted",
      "Invite created",
      "Invite deleted",
      "Organization updated",
      "Organization updated",
      "User password_changed",
      "Session deleted",
      "Session created",
    ]);
  });

  it("is told of those who join and leave, with everything that goes with them", async () => {
    const owner = await identity.aPerson();
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const { id: keyId } = await identity.aKey(admin);
    await identity.data(createInvite, { as: admin.principal, body: { permissions: "Member" } });
    const params = { id: admin.userId };
    await identity.data(updateUser, { as: owner.principal, params, body: { permissions: "Viewer" } });
    await identity.data(deleteUser, { as: owner.principal, params });
    const all = await entriesOf(owner);
    expect(all.map(({ action, entity }) => `${entity} ${action}`).slice(3)).toEqual([
      "Invite created",
      "Invite accepted",
      "Session created",
      "User created",
      "UserApiKey created",
      "Invite created",
      "User updated",
      "Invite deleted",
      "User deleted",
      "UserApiKey deleted",
      "Session deleted",
    ]);
    const joined = all.find(({ action }) => action === "accepted")!;
    expect(joined.actor).toEqual({ user_id: admin.userId, key_id: null, email: admin.email });
    const demoted = all.find(({ action, entity }) => action === "updated" && entity === "User")!;
    expect(demoted).toMatchObject({
      name: admin.email,
      before: { permissions: "Admin" },
      after: { permissions: "Viewer" },
      fields: ["permissions"],
      actor: { user_id: owner.userId, key_id: null },
    });
    expect(await entriesOf(owner, { entity_id: keyId })).toHaveLength(2);
  });

  it("says who did it with which key, on which request, from where, and why", async () => {
    const owner = await identity.aPerson();
    const keyId = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
    const key = { ...owner.principal, kind: "key", credentialId: keyId, email: owner.email } as const;
    const headers = {
      "change-comment": "a new name",
      [REQUEST_ID]: "01a1fe11-c1c3-73e4-b600-7af4ab9ac2de",
      [INTERNAL.clientAddress]: "203.0.113.7",
    };
    await identity.data(patchOrganization, {
      ...{ as: key, headers, params: { id: owner.organizationId }, body: { name: "Renamed" } },
    });
    expect(await entriesOf(owner, { key_id: keyId })).toMatchObject([
      {
        actor: { user_id: owner.userId, key_id: keyId, email: owner.email },
        address: "203.0.113.7",
        request_id: headers[REQUEST_ID],
        comment: "a new name",
        fields: ["name"],
      },
    ]);
  });

  it("shows no secret", async () => {
    const owner = await identity.aPerson();
    const { params, secret } = await identity.aKey(owner);
    const rotated = await identity.data(rotateKey, { as: owner.principal, params });
    const { token } = await identity.data(createInvite, { as: owner.principal, body: { permissions: "Member" } });
    const next = "another battery staple";
    await identity.data(changePassword, {
      ...{ as: owner.principal, body: { current_password: owner.password, new_password: next } },
    });
    const again = await identity.logIn({ email: owner.email, password: next });
    const stored = JSON.stringify(
      await identity.db.collection(AUDIT).find({ organization_id: owner.organizationId }).toArray(),
    );
    const secrets = [secret, rotated, token, owner.token, again.token];
    for (const one of [...secrets, ...secrets.map(hashCredential), owner.password, next, "$argon2"])
      expect(stored).not.toContain(one);
    for (const one of ["password_hash", `"hash"`]) expect(stored).not.toContain(one);
  });

  it("is written with what happened: what is undone leaves nothing", async () => {
    const owner = await identity.aPerson();
    const before = await told(owner);
    expect(
      await identity.ask(updateUser, {
        ...{ as: owner.principal, params: { id: owner.userId }, body: { permissions: "Admin" } },
      }),
    ).toMatchObject({ status: 409, code: "last_owner" });
    expect(await told(owner)).toEqual(before);
  });
});

describe("identity.audit: who may read it", () => {
  it("are Owners, for their own organization, with a session or a key for all networks", async () => {
    const [owner, stranger] = await Promise.all([identity.aPerson(), identity.aPerson()]);
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const key = { ...owner.principal, kind: "key" } as const;
    const own = { organizationId: owner.organizationId, networks: [] };
    expect(await ask({ principal: key })).toMatchObject({ status: 200 });
    expect(await ask({ principal: { ...key, scope: own } })).toMatchObject({
      ...{ status: 403, code: "permission_denied", params: { required: "all_networks" } },
    });
    expect(await ask(admin)).toMatchObject({ status: 403, params: { required: "Owner" } });
    const seen = JSON.stringify(await entriesOf(stranger));
    for (const one of [owner, admin])
      for (const text of [one.userId, one.email, one.organizationId]) expect(seen).not.toContain(text);
  });

  it("learn nothing of another organization whose user signs in with the same browser", async () => {
    const [owner, stranger] = await Promise.all([identity.aPerson(), identity.aPerson()]);
    const headers = { [INTERNAL.sessionHashes]: hashCredential(owner.token) };
    const { email, password } = stranger;
    await identity.data(login, { headers, body: { email, password } });
    const [ended] = await entriesOf(owner, { order_direction: "desc", limit: 1 });
    expect(ended).toMatchObject({ entity: "Session", action: "deleted", actor: { user_id: owner.userId } });
    expect(JSON.stringify(await entriesOf(stranger))).not.toContain(owner.userId);
  });

  it("see sessions begin and end", async () => {
    const owner = await identity.aPerson();
    const { headers } = await identity.ask(login, { body: { email: owner.email, password: owner.password } });
    await identity.data(logout, { headers: { [INTERNAL.sessionHashes]: hashCredential(tokenOf(headers)) } });
    const [begun, ended] = (await entriesOf(owner)).slice(-2);
    expect([begun, ended]).toMatchObject([
      { entity: "Session", action: "created", before: null, actor: { user_id: owner.userId, email: owner.email } },
      { entity: "Session", action: "deleted", after: null, actor: { user_id: owner.userId, email: owner.email } },
    ]);
    expect(ended!.entity_id).toBe(begun!.entity_id);
  });
});

describe("identity.audit: cursors", () => {
  it("skip nothing that is committed later, however many write at the same time in several processes", async () => {
    const owner = await identity.aPerson();
    const followed: AuditEntry[] = [];
    let isWritten = false;
    const follow = async (): Promise<void> => {
      for (let after = "0", isLast = false; ; isLast = isWritten) {
        const { data, meta } = await ask(owner, { after, limit: 7 });
        followed.push(...data);
        after = meta["next"]!;
        if (isLast && data.length === 0) return;
      }
    };
    const following = follow();
    const as = owner.principal;
    const write = async (at: number): Promise<void> => {
      const replica = at % 2;
      if (at % 3 === 0) await identity.ask(login, { replica, body: { email: owner.email, password: owner.password } });
      else if (at % 3 === 1) await identity.data(createKey, { as, replica, ...aKeyBody(owner) });
      else await identity.data(updateOrganizationProfile, { as, replica, body: { job_title: `Title ${at}` } });
    };
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 6 }, (_none, at) => write(round * 6 + at)));
    isWritten = true;
    await following;
    expect(followed.map(({ cursor }) => Number(cursor))).toEqual(followed.map((_none, at) => at + 1));
    expect(followed).toHaveLength(3 + 24);
    expect(followed.map(({ at }) => at)).toEqual(followed.map(({ at }) => at).sort());
  });

  it("page in both directions, with filters, and refuse what was never answered", async () => {
    const owner = await identity.aPerson();
    for (let key = 0; key < 5; key++) await identity.aKey(owner);
    const first = await ask(owner, { limit: 3, entity: "UserApiKey" });
    const rest = await ask(owner, { limit: 3, entity: "UserApiKey", after: first.meta["next"]! });
    expect([first.data.length, rest.data.length, rest.meta]).toEqual([3, 2, { next: "8", oldest: "0" }]);
    const newest = await ask(owner, { limit: 3, order_direction: "desc" });
    expect(newest.data.map(({ cursor }) => cursor)).toEqual(["8", "7", "6"]);
    const older = await ask(owner, { limit: 100, order_direction: "desc", after: newest.meta["next"]! });
    expect([older.data.length, older.meta["next"]]).toEqual([5, null]);
    const since = newest.data[1]!.at;
    expect((await entriesOf(owner, { since })).map(({ cursor }) => cursor).slice(-2)).toEqual(["7", "8"]);
    expect((await entriesOf(owner, { until: since })).every(({ at }) => at < since)).toBe(true);
    expect(await told(owner, { action: "created", entity: "User" })).toEqual(["User created"]);
    expect(await told(owner, { user_id: owner.organizationId })).toEqual([]);
    for (const after of ["9", "x", "-1"]) expect(await ask(owner, { after })).toMatchObject({ code: "cursor_invalid" });
  });

  it("say that something is gone to whoever is behind what is kept", async () => {
    const owner = await identity.aPerson();
    await identity.aKey(owner);
    await identity.db.collection(AUDIT).deleteMany({ organization_id: owner.organizationId, n: { $lte: 2 } });
    expect(await ask(owner, { after: "1" })).toMatchObject({ status: 410, params: { oldest: "2" } });
    expect((await ask(owner, { after: "2" })).data).toHaveLength(2);
    expect((await ask(owner)).meta["oldest"]).toBe("2");
  });

  it("go on in an organization of which nothing is kept any more", async () => {
    const owner = await identity.aPerson();
    await identity.db.collection(AUDIT).deleteMany({ organization_id: owner.organizationId });
    expect(await ask(owner)).toMatchObject({ status: 200, meta: { next: "3", oldest: "3" } });
    await identity.aKey(owner);
    expect(await told(owner, { after: "3" })).toEqual(["UserApiKey created"]);
  });
});

describe("identity.audit: failed logins", () => {
  const failures = (person: Person) => entriesOf(person, { action: "login_failed" });
  const guess = ({ email }: Pick<Person, "email">, address: string) =>
    identity.ask(login, { headers: { [INTERNAL.clientAddress]: address }, body: { email, password: "wrong" } });

  it("are told with the account and the address, the first one and whenever their number has doubled", async () => {
    const owner = await identity.aPerson();
    for (let failed = 0; failed < 5; failed++) await guess(owner, "203.0.113.7");
    await guess(owner, "2001:db8::1");
    await identity.settled();
    const told = await failures(owner);
    expect(told.map(({ address, attempts }) => [address, attempts])).toEqual([
      ["203.0.113.7", 1],
      ["203.0.113.7", 2],
      ["203.0.113.7", 4],
      ["2001:db8::1", 1],
    ]);
    expect(told[0]).toMatchObject({ entity: "User", entity_id: owner.userId, name: owner.email, actor: null });
  });

  it("of addresses that nobody has leave nothing", async () => {
    const before = await identity.db.collection(AUDIT).countDocuments();
    await guess({ email: "nobody@example.com" }, "203.0.113.7");
    await identity.settled();
    expect(await identity.db.collection(AUDIT).countDocuments()).toBe(before);
  });

  it("are told of whoever changes a password without knowing it", async () => {
    const owner = await identity.aPerson();
    const body = { current_password: "wrong", new_password: "another battery staple" };
    expect(await identity.ask(changePassword, { as: owner.principal, body })).toMatchObject({ status: 401 });
    await identity.settled();
    expect(await failures(owner)).toMatchObject([{ actor: { user_id: owner.userId } }]);
  });

  it("take no more room than an organization has for them, and leave the rest of its log alone", async () => {
    const owner = await identity.aPerson();
    const people = [owner, await identity.aColleague(owner, {}), await identity.aColleague(owner, {})];
    for (let from = 1; from <= 40; from++) await Promise.all(people.map((one) => guess(one, `198.51.100.${from}`)));
    await identity.settled();
    expect(await failures(owner)).toHaveLength(MOST_AN_HOUR);
    const { id } = await identity.aKey(owner);
    expect(await entriesOf(owner, { entity_id: id })).toHaveLength(1);
  });
});

describe("identity.audit: first uses of keys", () => {
  const use = (key_id: string, addresses: string[], replica = 0) =>
    identity.data(recordKeyUses, {
      ...{ as: { kind: "process" }, replica },
      body: { uses: [{ key_id, used_at: new Date().toISOString(), addresses }] },
    });
  const firsts = (person: Person) => entriesOf(person, { action: "first_used" });

  it("are told once of each address, of IPv6 once of each network, also by gateways that tell at the same time", async () => {
    const owner = await identity.aPerson();
    const { id } = await identity.aKey(owner, { name: "backup" });
    const told = ["203.0.113.7", "2001:db8:0:1::1", "2001:db8:0:1::2"];
    await Promise.all([use(id, told), use(id, told, 1), use(id, told)]);
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

  it("leave nothing of a key that is deleted, and of one that never was", async () => {
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

  it("take no more room than an organization has for them", async () => {
    const owner = await identity.aPerson();
    const { id } = await identity.aKey(owner);
    for (let from = 0; from < MOST_AN_HOUR + 16; from += 8)
      await use(
        id,
        Array.from({ length: 8 }, (_none, at) => `198.51.100.${from + at}`),
      );
    expect(await firsts(owner)).toHaveLength(MOST_AN_HOUR);
  });
});

describe("identity.audit: retention", () => {
  it("is what is set, also when it was set otherwise before, and stays where nobody says", async () => {
    const kept = async () => (await identity.db.collection(AUDIT).indexes()).map(({ expireAfterSeconds }) => expireAfterSeconds); // prettier-ignore
    expect(await kept()).toEqual([undefined, 365 * 86_400]);
    await keepAudit(identity.db, 30);
    await keepAudit(identity.db, null);
    expect(await kept()).toEqual([undefined, 30 * 86_400]);
  });
});
