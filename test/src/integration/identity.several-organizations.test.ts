import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { leaveOrganization, patchOrganization } from "@nts/shared/contract";
import { acceptInvite, createInvite } from "@nts/shared/contract/invites";
import type { Permission } from "@nts/shared/contract/endpoint";
import { listKeys, type UserApiKey } from "@nts/shared/contract/keys";
import { confirmSecondFactor, enableSecondFactor, offerSecondFactor } from "@nts/shared/contract/second-factor";
import { listSessions, type Session } from "@nts/shared/contract/sessions";
import {
  actInOrganization,
  changePassword,
  deleteUser,
  listUsers,
  register,
  updateUser,
  type User,
} from "@nts/shared/contract/users";
import { type Audited, startAudited } from "../support/audit.js";
import type { Person } from "../support/direct.js";
import { switchOrganization, aGuestWithKeys, joinOrganization, queriesOf } from "../support/memberships.js";
import { codeOf, earlierCodeOf } from "../support/second-factors.js";

let identity: Audited;

beforeAll(async () => {
  identity = await startAudited({}, { registration: "invite" });
});
afterAll(() => identity.stop());

const { stateOf, idsIn, signIn, me, userOf } = queriesOf(() => identity);
const invite = async ({ principal: as }: Person, permissions: "Viewer" | "Owner" = "Viewer") =>
  (await identity.data(createInvite, { as, body: { permissions } })).token;

const aGuest = (permissions: Permission = "Viewer") => aGuestWithKeys(identity, permissions);

describe("identity.several-organizations: an invited user with an account", () => {
  it("joins with it, keeps what it was, and gets all organizations with the level in each", async () => {
    const owner = await identity.aPerson();
    const person = await identity.aPerson();
    const joined = await joinOrganization(identity, person, owner, { permissions: "Admin" });
    expect(joined).toEqual({ id: owner.organizationId, name: "My Organization", permissions: "Admin" });
    const currentUser = await me(person);
    expect([currentUser.id, currentUser.organization_id, currentUser.permissions]).toEqual([
      person.userId,
      person.organizationId,
      "Owner",
    ]);
    expect(currentUser.organizations.map(({ id, permissions }) => [id, permissions])).toEqual([
      [person.organizationId, "Owner"],
      [owner.organizationId, "Admin"],
    ]);
    expect((await idsIn(owner)).sort()).toEqual([owner.userId, person.userId].sort());
    expect((await userOf(owner, person)).data).toMatchObject({ id: person.userId, permissions: "Admin" });
    expect((await identity.actionsOf(owner)).slice(-2)).toEqual(["Invite accepted", "User created"]);
  });

  it("is referred to it at registration, which creates nothing and leaves the invite usable", async () => {
    const owner = await identity.aPerson();
    const person = await identity.aPerson();
    const token = await invite(owner);
    const { email, password } = person;
    const refused = await identity.send(register, { body: { email, password, invite_token: token } });
    expect([refused.status, refused.code, refused.params["field"]]).toEqual([409, "already_exists", "email"]);
    expect(String(refused.params["hint"])).toContain("/api/v1/invites/accept");
    const without = await identity.send(register, { body: { email, password } });
    expect(without.params).toEqual({ entity: "User", field: "email" });
    expect((await identity.send(acceptInvite, { as: person.principal, body: { token } })).status).toBe(200);
  });

  it("joins once: an invite is consumed by one of two, and not by a user who is a member already", async () => {
    const owner = await identity.aPerson();
    const person = await identity.aPerson();
    const other = await identity.aPerson();
    const first = await invite(owner);
    const second = await invite(owner);
    const accept = ({ principal: as }: Person, token: string, replica = 0) =>
      identity.send(acceptInvite, { as, replica, body: { token } });
    const both = await Promise.all([accept(person, first, 0), accept(other, first, 1)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(both.find(({ status }) => status === 400)?.params).toEqual({ path: "token" });
    const [joined, late] = both[0].status === 200 ? [person, other] : [other, person];
    const again = await accept(joined, second);
    expect([again.status, again.params]).toEqual([409, { entity: "User", field: "organization_id" }]);
    expect((await accept(late, second)).status).toBe(200);
  });

  it("belongs to fifty at most", async () => {
    const owner = await identity.aPerson();
    const person = await identity.aPerson();
    const began = { created_at: new Date(), updated_at: new Date(), revision: 1, permissions: "Viewer" as const };
    const others = Array.from({ length: 49 }, (_, n) => ({ organization_id: `none ${n}`, network_ids: [], ...began }));
    const users = identity.db.collection<{ _id: string }>("users");
    await users.updateOne({ _id: person.userId }, { $set: { other_memberships: others } });
    const body = { token: await invite(owner) };
    const full = await identity.send(acceptInvite, { as: person.principal, body });
    expect([full.status, full.code, full.params]).toEqual([
      403,
      "quota_exceeded",
      { entity: "Organization", limit: 50 },
    ]);
  });
});

describe("identity.several-organizations: a session", () => {
  it("switches organization under a new token; the previous one is invalid on every replica", async () => {
    const { host, home } = await aGuest();
    const before = await identity.logIn(home);
    const first = host.organizationId;
    const second = home.organizationId;
    const start = before.organizationId === first ? second : first;
    const moved = await switchOrganization(identity, before, start);
    expect(moved.organizationId).toBe(start);
    for (const replica of [0, 1])
      expect(await identity.verify("session", before.token, replica)).toMatchObject({ code: "session_expired" });
    const response = await me(moved);
    expect([response.organization_id, response.id]).toEqual([start, home.userId]);
    const sessions = (await identity.data(listSessions, { as: moved.principal })) as unknown as Session[];
    expect(sessions.find(({ current }) => current)?.organization_id).toBe(start);
  });

  it("keeps its age when it switches, so that it is not fresh again", async () => {
    const { host, home } = await aGuest();
    const long = new Date(Date.now() - 3_600_000);
    const sessions = identity.db.collection<{ _id: string; created_at: Date }>("sessions");
    await sessions.updateOne({ _id: home.principal.credentialId }, { $set: { created_at: long } });
    const moved = await switchOrganization(identity, home, host.organizationId);
    const found = await sessions.findOne({ _id: moved.principal.credentialId });
    expect(found?.created_at).toEqual(long);
    const refused = await identity.send(leaveOrganization, { as: moved.principal, body: {} });
    expect(refused.code).toBe("reauthentication_required");
  });

  it("switches to no organization that its user does not belong to, and reveals nothing of it", async () => {
    const person = await identity.aPerson();
    const stranger = await identity.aPerson();
    const responses = await Promise.all(
      [stranger.organizationId, "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f"].map((organization_id) =>
        identity.send(actInOrganization, { as: person.principal, body: { organization_id } }),
      ),
    );
    for (const { code, params } of responses)
      expect([code, params]).toEqual(["invalid_reference", { path: "organization_id" }]);
    expect(await stateOf("session", person.token)).toBe("Owner");
    const stays = await identity.send(actInOrganization, {
      ...{ as: person.principal, body: { organization_id: person.organizationId } },
    });
    expect([stays.status, stays.headers.getSetCookie()]).toEqual([200, []]);
  });

  it("switches once of two concurrent times: the other one finds it ended", async () => {
    const { host, home } = await aGuest();
    const body = { organization_id: host.organizationId };
    const responses = await Promise.all(
      [0, 1].map((replica) => identity.send(actInOrganization, { as: home.principal, replica, body })),
    );
    expect(responses.map(({ status, code }) => `${status} ${code}`).sort()).toEqual(["200 ", "401 session_expired"]);
  });
});

describe("identity.several-organizations: a sign-in", () => {
  it("begins in the organization of the last session, and where a password is allowed", async () => {
    const { host, home } = await aGuest();
    expect((await identity.logIn(home)).organizationId).toBe(host.organizationId);
    const organizations = identity.db.collection<{ _id: string }>("organizations");
    await organizations.updateOne({ _id: host.organizationId }, { $set: { password_login: false } });
    const again = await identity.logIn(home);
    expect(again.organizationId).toBe(home.organizationId);
    const body = { organization_id: host.organizationId };
    const refused = await identity.send(actInOrganization, { as: again.principal, body });
    expect([refused.status, refused.code]).toEqual([403, "password_login_disabled"]);
    await organizations.updateOne({ _id: home.organizationId }, { $set: { password_login: false } });
    expect((await signIn(home)).code).toBe("password_login_disabled");
  });

  it("requires a code of the second factor where the organization requires one", async () => {
    const { host, home, away, keys } = await aGuest();
    const { principal: as, password } = host;
    const { secret } = await identity.data(offerSecondFactor, { as, body: { password } });
    await identity.data(enableSecondFactor, { as, body: { code: codeOf(secret) } });
    const params = { id: host.organizationId };
    await identity.data(patchOrganization, { as, params, body: { require_second_factor: true } });
    const states = [stateOf("session", away.token), stateOf("key", keys.away.secret)];
    expect(await Promise.all(states)).toEqual(["second_factor_required", "second_factor_required"]);
    expect([await stateOf("session", home.token), await stateOf("key", keys.home.secret)]).toEqual(["Owner", "Viewer"]);
    const enter = (person: Person) =>
      identity.send(actInOrganization, { as: person.principal, body: { organization_id: host.organizationId } });
    expect((await enter(home)).code).toBe("confirmation_required");

    expect((await signIn(home)).params).toMatchObject({ set_up: true });
    const own = await identity.data(offerSecondFactor, { as: home.principal, body: { password: home.password } });
    await identity.data(enableSecondFactor, { as: home.principal, body: { code: await earlierCodeOf(own.secret) } });
    const sessions = identity.db.collection<{ _id: string }>("sessions");
    await sessions.updateOne({ _id: home.principal.credentialId }, { $unset: { confirmed_at: "" } });
    expect((await enter(home)).code).toBe("confirmation_required");
    await identity.data(confirmSecondFactor, { as: home.principal, body: { code: codeOf(own.secret, 1) } });
    const entered = await enter(home);
    expect([entered.status, entered.data.organization_id]).toEqual([200, host.organizationId]);
  });
});

describe("identity.several-organizations: keys and sessions", () => {
  it("have the level of their organization, which changes in one of them alone, with revision and time", async () => {
    const { host, home, away, keys } = await aGuest("Admin");
    expect(await Promise.all([stateOf("session", home.token), stateOf("session", away.token)])).toEqual([
      "Owner",
      "Admin",
    ]);
    const atHome = await userOf(home, home);
    const elsewhere = await userOf(host, home);
    const params = { id: home.userId };
    await identity.data(updateUser, { as: host.principal, params, body: { permissions: "Viewer" } });
    expect(await Promise.all([stateOf("session", away.token), stateOf("key", keys.away.secret)])).toEqual([
      "Viewer",
      "Viewer",
    ]);
    expect(await stateOf("session", home.token)).toBe("Owner");
    const after = [await userOf(home, home), await userOf(host, home)];
    expect(after[0]?.text).toBe(atHome.text);
    expect(after[0]?.headers.get("etag")).toBe(atHome.headers.get("etag"));
    expect(after[1]?.data).toMatchObject({ permissions: "Viewer" });
    expect(after[1]?.headers.get("etag")).not.toBe(elsewhere.headers.get("etag"));
    const headers = { "if-match": elsewhere.headers.get("etag") ?? "" };
    const stale = await identity.send(updateUser, {
      as: host.principal,
      params,
      headers,
      body: { permissions: "Member" },
    });
    expect(stale.code).toBe("precondition_failed");
  });

  it("are visible in their organization alone, and reveal no others there", async () => {
    const { host, home, away, keys } = await aGuest();
    const named = async ({ principal: as }: Person) =>
      ((await identity.data(listKeys, { as })) as unknown as UserApiKey[]).map(({ id }) => id);
    expect([await named(home), await named(away)]).toEqual([[keys.home.id], [keys.away.id]]);
    const currentUser = JSON.stringify([
      await identity.data(listUsers, { as: host.principal }),
      await identity.entriesOf(host),
    ]);
    expect(currentUser).toContain(home.userId);
    expect(currentUser).not.toContain(home.organizationId);
    const pages = await Promise.all(
      [0, 1].map((offset) => {
        const query = { order_by: "email", limit: 1, offset } as const;
        return identity.data(listUsers, { as: host.principal, query }) as unknown as Promise<User[]>;
      }),
    );
    expect(pages.flat().map(({ email }) => email)).toEqual([host.email, home.email].sort());
  });
});

describe("identity.several-organizations: keys and sessions of a removed user", () => {
  it("end in the organization where the user was removed, and continue in the other", async () => {
    const { host, home, away, keys } = await aGuest();
    await identity.data(deleteUser, { as: host.principal, params: { id: home.userId } });
    expect(await Promise.all([stateOf("session", away.token), stateOf("key", keys.away.secret)])).toEqual([
      "session_expired",
      "api_key_invalid",
    ]);
    expect(await Promise.all([stateOf("session", home.token), stateOf("key", keys.home.secret)])).toEqual([
      "Owner",
      "Viewer",
    ]);
    expect([await idsIn(host), (await me(home)).organizations.length]).toEqual([[host.userId], 1]);
    expect((await identity.logIn(home)).organizationId).toBe(home.organizationId);
  });

  it("end in the first organization as well, and the account continues in the one that it joined", async () => {
    const { host, home, away, keys } = await aGuest();
    const other = await identity.aColleague(home, { permissions: "Owner" });
    await identity.data(deleteUser, { as: other.principal, params: { id: home.userId } });
    expect(await Promise.all([stateOf("session", home.token), stateOf("key", keys.home.secret)])).toEqual([
      "session_expired",
      "api_key_invalid",
    ]);
    expect(await Promise.all([stateOf("session", away.token), stateOf("key", keys.away.secret)])).toEqual([
      "Viewer",
      "Viewer",
    ]);
    expect([await idsIn(host), await idsIn(home)]).toEqual([expect.arrayContaining([home.userId]), [other.userId]]);
    const again = await identity.logIn(home);
    expect([again.userId, again.organizationId]).toEqual([home.userId, host.organizationId]);
  });

  it("all end with a password changed in any organization, with audit entries in all", async () => {
    const { host, home, away, keys } = await aGuest();
    const body = { current_password: home.password, new_password: "another horse battery staple" };
    await identity.data(changePassword, { as: away.principal, body });
    expect(await Promise.all([home, away].map(({ token }) => stateOf("session", token)))).toEqual([
      "session_expired",
      "session_expired",
    ]);
    expect(await stateOf("key", keys.home.secret)).toBe("Viewer");
    expect(await identity.actionsOf(host, { action: "password_changed" })).toEqual(["User password_changed"]);
    expect((await userOf(host, home)).headers.get("etag")).toBe('"2"');
  });
});
