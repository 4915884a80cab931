import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { getOrganization, leaveOrganization, listOrganizationKeys } from "@nts/shared/contract";
import { enableSecondFactor, loginSecondFactor, offerSecondFactor } from "@nts/shared/contract/second-factor";
import { deleteCurrentUser, getCurrentUser, listUsers, login, type User } from "@nts/shared/contract/users";
import { type Audited, startAudited } from "../support/audit.js";
import { type Person, tokenOf } from "../support/direct.js";
import { codeOf, earlierCodeOf } from "../support/second-factors.js";

const LATER_MS = 6 * 60_000;

let identity: Audited;

beforeAll(async () => {
  identity = await startAudited({}, { registration: "invite" });
});
afterAll(() => identity.stop());

const deleteAccount = ({ principal: as, password }: Person, replica = 0) =>
  identity.send(deleteCurrentUser, { as, replica, body: { password } });
const leave = ({ principal: as, password }: Person, replica = 0, more: { organization_name?: string } = {}) =>
  identity.send(leaveOrganization, { as, replica, body: { password, ...more } });
const stateOf = async (kind: "key" | "session", secret: string) => (await identity.verify(kind, secret)).status;
const emailsIn = async ({ principal: as }: Person): Promise<string[]> =>
  ((await identity.data(listUsers, { as })) as unknown as User[]).map(({ email }) => email);
const signIn = ({ email, password }: Person) => identity.send(login, { body: { email, password } });

/** Ages the session of a person until it is no longer fresh. */
async function ageSession({ principal }: Person): Promise<void> {
  const sessions = identity.db.collection<{ _id: string; created_at: Date }>("sessions");
  await sessions.updateOne({ _id: principal.credentialId }, { $set: { created_at: new Date(Date.now() - LATER_MS) } });
}

describe("identity.leaving: deleting the own account", () => {
  it("deletes its keys, sessions and invites, with audit entries, and frees its address", async () => {
    const owner = await identity.aPerson();
    const colleague = await identity.aColleague(owner, { permissions: "Admin" });
    const other = await identity.logIn(colleague);
    const key = await identity.aKey(colleague);
    const gone = await deleteAccount(colleague);
    expect([gone.status, tokenOf(gone.headers), gone.headers.getSetCookie()[0]?.includes("Max-Age=0")]).toEqual([
      200,
      "",
      true,
    ]);
    const tokens = [colleague.token, other.token].map((token) => stateOf("session", token));
    expect(await Promise.all([...tokens, stateOf("key", key.secret)])).toEqual(["refused", "refused", "refused"]);
    expect(await emailsIn(owner)).toEqual([owner.email]);
    expect((await signIn(colleague)).code).toBe("invalid_credentials");
    const entries = await identity.entriesOf(owner, { action: "deleted" });
    expect(entries.map(({ entity, actor }) => [entity, actor?.user_id])).toEqual([
      ["User", colleague.userId],
      ["UserApiKey", colleague.userId],
      ["Session", colleague.userId],
      ["Session", colleague.userId],
    ]);
  });

  it("requires its password, or a fresh session; a wrong one counts as a failed login", async () => {
    const owner = await identity.aPerson();
    const colleague = await identity.aColleague(owner, {});
    const { principal: as } = colleague;
    expect((await identity.send(deleteCurrentUser, { as, body: { password: "not this one" } })).code).toBe(
      "invalid_credentials",
    );
    await ageSession(colleague);
    const old = await identity.send(deleteCurrentUser, { as, body: {} });
    expect([old.status, old.code]).toEqual([403, "reauthentication_required"]);
    expect(await emailsIn(owner)).toContain(colleague.email);
    const fresh = await identity.logIn(colleague);
    expect((await identity.send(deleteCurrentUser, { as: fresh.principal, body: {} })).status).toBe(200);
    await identity.settled();
    expect(await identity.actionsOf(owner, { action: "login_failed" })).toEqual(["User login_failed"]);
  });

  it("is not committed when the account has changed since it was read", async () => {
    const owner = await identity.aPerson();
    const { principal: as, password } = await identity.aColleague(owner, {});
    const stale = await identity.send(deleteCurrentUser, {
      as,
      body: { password },
      headers: { "if-match": '"another"' },
    });
    expect([stale.status, stale.code]).toEqual([412, "precondition_failed"]);
    const read = await identity.send(getCurrentUser, { as });
    const headers = { "if-match": read.headers.get("etag") ?? "" };
    expect((await identity.send(deleteCurrentUser, { as, body: { password }, headers })).status).toBe(200);
  });
});

describe("identity.leaving: leaving an organization", () => {
  it("continues in a new organization as its Owner, with address and password, and nothing else", async () => {
    const owner = await identity.aPerson();
    const colleague = await identity.aColleague(owner, { permissions: "Admin" });
    const other = await identity.logIn(colleague);
    const key = await identity.aKey(colleague);
    const left = await leave(colleague, 0, { organization_name: "On my own" });
    expect(left.data).toMatchObject({ email: colleague.email, permissions: "Owner", network_ids: [] });
    expect(left.data.id).toBe(colleague.userId);
    expect(left.data.organization_id).not.toBe(owner.organizationId);
    const ended = [colleague.token, other.token].map((token) => stateOf("session", token));
    expect(await Promise.all([...ended, stateOf("key", key.secret)])).toEqual(["refused", "refused", "refused"]);
    expect(await stateOf("session", tokenOf(left.headers))).toBe("valid");
    expect(await emailsIn(owner)).toEqual([owner.email]);

    const again = await identity.logIn(colleague);
    expect(again.organizationId).toBe(left.data.organization_id);
    expect((await identity.data(getOrganization, { as: again.principal })).name).toBe("On my own");
    expect(await identity.data(listOrganizationKeys, { as: again.principal })).toEqual([]);
    expect((await identity.actionsOf(owner)).slice(-4)).toEqual([
      "User deleted",
      "UserApiKey deleted",
      "Session deleted",
      "Session deleted",
    ]);
    expect(await identity.actionsOf(again)).toEqual([
      "Organization created",
      "User created",
      "Session created",
      "Session created",
    ]);
  });

  it("keeps the second factor, of which a code is required before", async () => {
    const owner = await identity.aPerson();
    const colleague = await identity.aColleague(owner, {});
    const { principal: as, email, password } = colleague;
    const { secret } = await identity.data(offerSecondFactor, { as, body: { password } });
    await identity.data(enableSecondFactor, { as, body: { code: await earlierCodeOf(secret) } });
    const sessions = identity.db.collection<{ _id: string }>("sessions");
    await sessions.updateOne({ _id: as.credentialId }, { $unset: { confirmed_at: "" } });
    for (const refused of [await leave(colleague), await deleteAccount(colleague)])
      expect([refused.status, refused.code]).toEqual([403, "confirmation_required"]);
    await sessions.updateOne({ _id: as.credentialId }, { $set: { confirmed_at: new Date() } });
    expect((await leave(colleague)).status).toBe(200);
    const first = await identity.send(login, { body: { email, password } });
    expect(first.code).toBe("second_factor_required");
    const body = { challenge: String(first.params["challenge"]), code: codeOf(secret, 1) };
    const second = await identity.send(loginSecondFactor, { body });
    expect([second.status, second.data.permissions]).toEqual([200, "Owner"]);
  });

  it("requires authentication, and is rejected where registration is by invitation only", async () => {
    const owner = await identity.aPerson();
    const colleague = await identity.aColleague(owner, {});
    await ageSession(colleague);
    const refused = await identity.send(leaveOrganization, { as: colleague.principal, body: {} });
    expect(refused.code).toBe("reauthentication_required");
    const closed = await leave(colleague, 1);
    expect([closed.status, closed.code]).toEqual([403, "registration_closed"]);
    expect(await stateOf("session", colleague.token)).toBe("valid");
  });
});

describe("identity.leaving: the last Owner", () => {
  it("can neither leave nor delete the account, alone or with others, and nothing of it changes", async () => {
    const owner = await identity.aPerson();
    const alone = [await deleteAccount(owner), await leave(owner)];
    await identity.aColleague(owner, { permissions: "Admin" });
    const { secret } = await identity.aKey(owner);
    const withOthers = [await deleteAccount(owner), await leave(owner)];
    expect([...alone, ...withOthers].map(({ status, code }) => `${status} ${code}`)).toEqual(
      Array.from({ length: 4 }, () => "409 last_owner"),
    );
    expect([await stateOf("session", owner.token), await stateOf("key", secret)]).toEqual(["valid", "valid"]);
  });

  it("remains when two leave concurrently in any way: one leaves, the other stays", async () => {
    for (const [first, second] of [
      [deleteAccount, deleteAccount],
      [leave, leave],
      [leave, deleteAccount],
    ] as const) {
      const owner = await identity.aPerson();
      const other = await identity.aColleague(owner, { permissions: "Owner" });
      const responses = await Promise.all([first(owner, 0), second(other, second === leave ? 0 : 1)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
      const [stays] = responses[0].status === 409 ? [owner] : [other];
      expect(await emailsIn(stays)).toEqual([stays.email]);
    }
  });
});
