import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { createInvite, listInvites, revokeInvite, type Invite } from "@nts/shared/contract/invites";
import { createNetwork } from "@nts/shared/contract/networks";
import { hashCredential } from "@nts/shared/credential";
import { deleteUser, register, updateUser } from "@nts/shared/contract/users";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { createDirect, type Direct, type Person } from "../support/direct.js";
import { type Identity, startIdentity } from "../support/identity.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";

let stack: SharedStack;
let identity: Direct;
let mongo: MongoClient;

beforeAll(async () => {
  stack = await sharedStack();
  identity = createDirect(stack);
  mongo = new MongoClient(stack.servers.urls.mongodb);
});

afterAll(() => mongo.close());

let guests = 0;

const registration = (invite_token: string) => ({
  email: `guest-${++guests}@example.com`,
  password: "correct horse battery staple",
  invite_token,
});
const join = (token: string, replica = 0) => identity.send(register, { replica, body: registration(token) });
const voidToken = { status: 400, code: "invalid_reference", params: { path: "invite_token" } };

const invited = (as: UserPrincipal, body: Partial<Invite> & { expires_in_hours?: number } = {}) =>
  identity.send(createInvite, { as, body: { permissions: "Member", ...body } });

async function listed(as: UserPrincipal, query: object = {}): Promise<Invite[]> {
  return (await identity.send(listInvites, { as, query })).data as unknown as Invite[];
}

describe("identity.invites: inviting", () => {
  it("shows the token once, stores only its hash, and lasts a week", async () => {
    const owner = await identity.aPerson();
    const { data } = await invited(owner.principal);
    const { token, ...invite } = data;
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(invite).toMatchObject({
      organization_id: owner.organizationId,
      invited_by: owner.userId,
      permissions: "Member",
      network_ids: [],
    });
    expect(Date.parse(invite.expires_at) - Date.parse(invite.created_at)).toBe(168 * 3_600_000);
    expect(await listed(owner.principal)).toEqual([invite]);
    const stored = await mongo.db(stack.databases.identity).collection("invites").find().toArray();
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it("is limited to levels and networks that the inviter may grant", async () => {
    const owner = await identity.aPerson();
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const foreign = await identity.aPerson();
    const { id } = await identity.data(createNetwork, { as: foreign.principal, body: { name: "Foreign" } });
    const levels = ["Owner", "Admin", "Member", "Viewer"] as const;
    const statuses = (as: UserPrincipal) =>
      Promise.all(levels.map(async (permissions) => (await invited(as, { permissions })).status));
    expect(await statuses(owner.principal)).toEqual([200, 200, 200, 200]);
    expect(await statuses(admin.principal)).toEqual([403, 403, 200, 200]);
    expect(await statuses({ ...owner.principal, permission: "Member" })).toEqual([403, 403, 403, 403]);
    const restricted: UserPrincipal = {
      ...owner.principal,
      kind: "key",
      scope: { ...owner.principal.scope, networks: [] },
    };
    expect(await invited(restricted)).toMatchObject({ status: 403, params: { required: "all_networks" } });
    expect(await invited(owner.principal, { network_ids: [id] })).toMatchObject({
      status: 400,
      code: "invalid_reference",
      params: { path: "network_ids.0" },
    });
  });

  it("rejects a lifetime that is not a whole number of hours up to a year", async () => {
    const owner = await identity.aPerson();
    for (const expires_in_hours of [0, -1, 1.5, 8761])
      expect(await invited(owner.principal, { expires_in_hours })).toMatchObject({ code: "validation_failed" });
  });
});

describe("identity.invites: joining", () => {
  it("creates a user with the level and networks of the invite, and a session", async () => {
    const owner = await identity.aPerson();
    const home = (await identity.data(createNetwork, { as: owner.principal, body: { name: "Home" } })).id;
    const { data } = await invited(owner.principal, { permissions: "Viewer", network_ids: [home] });
    const joined = await join(data.token);
    expect(joined).toMatchObject({
      status: 200,
      data: { organization_id: owner.organizationId, permissions: "Viewer", network_ids: [home] },
    });
    expect(joined.headers.getSetCookie()).toEqual([expect.stringMatching(/^session_id=[\w-]{43};/)]);
    expect(await listed(owner.principal)).toEqual([]);
  });

  it("works once, also for concurrent requests on two replicas", async () => {
    const owner = await identity.aPerson();
    for (let round = 0; round < 3; round++) {
      const { data } = await invited(owner.principal);
      const responses = await Promise.all(Array.from({ length: 6 }, (_, i) => join(data.token, i % 2)));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
      for (const { status, code, params } of responses)
        if (status !== 200) expect({ status, code, params }).toEqual(voidToken);
    }
  });

  it("does not consume the invite when the email address is taken", async () => {
    const owner = await identity.aPerson();
    const { data } = await invited(owner.principal);
    const body = { ...registration(data.token), email: owner.email };
    expect(await identity.send(register, { body })).toMatchObject({ status: 409, params: { field: "email" } });
    expect(await join(data.token)).toMatchObject({ status: 200 });
  });
});

describe("identity.invites: joining with an invalid invite", () => {
  it("returns the same for a token that is unknown, used, revoked or expired", async () => {
    const owner = await identity.aPerson();
    const [used, revoked, expired] = await Promise.all(
      [1, 2, 3].map(async () => (await invited(owner.principal)).data),
    );
    await join(used!.token);
    await identity.data(revokeInvite, { as: owner.principal, params: { id: revoked!.id } });
    const invites = mongo.db(stack.databases.identity).collection<{ _id: string }>("invites");
    await invites.updateOne({ _id: expired!.id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    const responses = await Promise.all(
      ["nonsense", used!.token, revoked!.token, expired!.token].map((one) => join(one)),
    );
    for (const { status, code, params } of responses) expect({ status, code, params }).toEqual(voidToken);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await listed(owner.principal)).toEqual([]);
  });

  it("fails when the inviter was removed, or may no longer invite to that level", async () => {
    const owner = await identity.aPerson();
    const colleague = (permissions: "Owner" | "Admin") => identity.aColleague(owner, { permissions });
    const gone = await colleague("Admin");
    const demoted = await colleague("Admin");
    const reduced = await colleague("Owner");
    const tokenOf = async (who: Person, permissions: "Admin" | "Member") =>
      (await invited(who.principal, { permissions })).data.token;
    const tokens = [await tokenOf(gone, "Member"), await tokenOf(demoted, "Member"), await tokenOf(reduced, "Admin")];
    const kept = await tokenOf(reduced, "Member");
    const as = owner.principal;
    await identity.data(deleteUser, { as, params: { id: gone.userId } });
    await identity.data(updateUser, { as, params: { id: demoted.userId }, body: { permissions: "Member" } });
    await identity.data(updateUser, { as, params: { id: reduced.userId }, body: { permissions: "Admin" } });
    for (const token of tokens) expect(await join(token)).toMatchObject(voidToken);
    expect(await listed(as)).toHaveLength(1);
    expect(await join(kept)).toMatchObject({ status: 200 });
  });
});

describe("identity.invites: revoking", () => {
  it("is allowed to whoever could create the invite, in the same organization", async () => {
    const owner = await identity.aPerson();
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const stranger = await identity.aPerson();
    const high = (await invited(owner.principal, { permissions: "Admin" })).data;
    const low = (await invited(owner.principal)).data;
    const revoke = (as: UserPrincipal, { id }: { id: string }) => identity.send(revokeInvite, { as, params: { id } });
    expect(await revoke(admin.principal, high)).toMatchObject({ status: 403, params: { required: "Owner" } });
    expect(await revoke(stranger.principal, low)).toMatchObject({ status: 404, params: { entity: "Invite" } });
    const outdated = { as: admin.principal, params: { id: low.id }, headers: { "if-match": '"99"' } };
    expect(await identity.send(revokeInvite, outdated)).toMatchObject({ status: 412, code: "precondition_failed" });
    expect(await revoke(admin.principal, low)).toMatchObject({ status: 200, data: null });
    expect(await revoke(admin.principal, low)).toMatchObject({ status: 404 });
    expect((await listed(owner.principal)).map(({ id }) => id)).toEqual([high.id]);
  });
});

describe("identity.invites: registration by invitation only", () => {
  it("admits only users with an invite", async () => {
    const closed = await startIdentity({ replicas: [{ registration: "invite" }] });
    try {
      const body = { email: "ada@example.com", password: "a long password" };
      expect(await closed.send(register, { body })).toMatchObject({ status: 403, code: "registration_closed" });
      expect(await closed.send(register, { body: registration("nonsense") })).toMatchObject(voidToken);
      await plantInvite(closed, "token");
      expect(await closed.send(register, { body: registration("token") })).toMatchObject({ status: 200 });
    } finally {
      await closed.stop();
    }
  });
});

describe("identity.invites: registration of the first account only", () => {
  it("admits one of several at once, over all replicas, and none after its account is deleted", async () => {
    const first = await startIdentity({ replicas: [{ registration: "first" }, { registration: "first" }] });
    const registerAs = (n: number) => {
      const body = { email: `ada${n}@example.com`, password: "a long password" };
      return first.send(register, { body, replica: n % 2 });
    };
    try {
      const all = await Promise.all(Array.from({ length: 8 }, (_, n) => registerAs(n)));
      expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
      const refused = all.filter(({ status }) => status !== 200).map(({ status, code }) => [status, code]);
      expect(refused).toEqual(Array.from({ length: 7 }, () => [403, "registration_closed"]));
      expect(await first.db.collection("users").countDocuments()).toBe(1);
      await first.db.collection("users").deleteMany({});
      expect(await registerAs(9)).toMatchObject({ status: 403, code: "registration_closed" });
    } finally {
      await first.stop();
    }
  });
});

/** An owner who registered before registration was closed, with an invite. */
async function plantInvite({ db }: Identity, token: string): Promise<void> {
  const owner = newId();
  const organization_id = newId();
  await db.collection<{ _id: string }>("organizations").insertOne({
    ...{ _id: organization_id, name: "Navy", api_access_enabled: true },
    ...{ created_at: new Date(), updated_at: new Date(), revision: 1 },
  });
  await db.collection<{ _id: string }>("users").insertOne({
    ...{ _id: owner, organization_id, permissions: "Owner", email: "grace@example.com" },
  });
  await db.collection<{ _id: string }>("invites").insertOne({
    ...{ _id: newId(), hash: hashCredential(token), organization_id, invited_by: owner },
    ...{ permissions: "Member", network_ids: [], expires_at: new Date(Date.now() + 60_000) },
    ...{ created_at: new Date(), updated_at: new Date(), revision: 1 },
  });
}
