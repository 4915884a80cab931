import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { unshared } from "@nts/identity/storage/database";
import type { ChangeRights } from "@nts/identity/rights/change-rights";
import { createForgetNetworks } from "@nts/identity/rights/forget-networks";
import { deleteOrganization, leaveOrganization } from "@nts/shared/contract";
import type { Permission } from "@nts/shared/contract/endpoint";
import { createInvite } from "@nts/shared/contract/invites";
import { enableSecondFactor, offerSecondFactor } from "@nts/shared/contract/second-factor";
import { deleteCurrentUser, deleteUser, register, resetUserSecondFactor, updateUser } from "@nts/shared/contract/users";
import { type Audited, startAudited } from "../support/audit.js";
import type { Person } from "../support/direct.js";
import { aGuestWithKeys, personInSessionOf, joinOrganization, queriesOf } from "../support/memberships.js";
import { codeOf } from "../support/second-factors.js";

let identity: Audited;

beforeAll(async () => {
  identity = await startAudited({}, { registration: "invite" });
});
afterAll(() => identity.stop());

const aGuest = (permissions: Permission = "Viewer") => aGuestWithKeys(identity, permissions);
const { stateOf, idsIn, signIn, me, userOf } = queriesOf(() => identity);

describe("identity.several-organizations-end: the Owners of an organization", () => {
  it("include members of several: the last one of any stays, and cannot delete the account", async () => {
    const { host, home, away } = await aGuest("Owner");
    await identity.data(deleteUser, { as: away.principal, params: { id: host.userId } });
    const params = { id: home.userId };
    const body = { permissions: "Viewer" } as const;
    const demoted = await identity.send(updateUser, { as: away.principal, params, body });
    const { password } = home;
    const gone = await identity.send(deleteCurrentUser, { as: home.principal, body: { password } });
    const left = await identity.send(leaveOrganization, { as: away.principal, body: { password } });
    expect([demoted, gone, left].map(({ code }) => code)).toEqual(["last_owner", "last_owner", "last_owner"]);
    expect(await Promise.all([home, away].map(({ token }) => stateOf("session", token)))).toEqual(["Owner", "Owner"]);
  });

  it("cannot reset a second factor that protects the account in others, too", async () => {
    const { host, home } = await aGuest();
    const { principal: as, password } = home;
    const { secret } = await identity.data(offerSecondFactor, { as, body: { password } });
    await identity.data(enableSecondFactor, { as, body: { code: codeOf(secret) } });
    expect((await userOf(host, home)).data.second_factor).toBe(true);
    const refused = await identity.send(resetUserSecondFactor, { as: host.principal, params: { id: home.userId } });
    expect([refused.status, refused.params]).toEqual([403, { required: "operator" }]);
    expect((await signIn(home)).code).toBe("second_factor_required");
  });
});

describe("identity.several-organizations-end: a deleted network", () => {
  it("is removed from members with other organizations, in that organization alone", async () => {
    const { host, home } = await aGuest();
    const ids = ["01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f", "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e60"];
    const users = identity.db.collection<{ _id: string }>("users");
    const granted = { "other_memberships.0.network_ids": ids, network_ids: ids };
    await users.updateOne({ _id: home.userId }, { $set: granted });
    const inTransaction: ChangeRights = (_work, _subjects, write) =>
      identity.db.client.withSession((session) => session.withTransaction(() => write(session)));
    await createForgetNetworks(unshared(identity.db), inTransaction)(host.organizationId, [ids[0]!]);
    expect(await users.findOne({ _id: home.userId })).toMatchObject({
      ...{ network_ids: ids, revision: 1 },
      other_memberships: [{ organization_id: host.organizationId, network_ids: [ids[1]], revision: 2 }],
    });
    await identity.sweepReferences();
    expect(await users.findOne({ _id: home.userId })).toMatchObject({ other_memberships: [{ network_ids: [] }] });
  });
});

describe("identity.several-organizations-end: an idempotency key", () => {
  it("is separate in each organization of a user", async () => {
    const { home, away } = await aGuest("Owner");
    const headers = { "idempotency-key": "the-same-in-both" };
    const make = ({ principal: as }: Person) =>
      identity.send(createInvite, { as, headers, body: { permissions: "Viewer" } });
    expect((await Promise.all([make(home), make(away)])).map(({ status }) => status)).toEqual([200, 200]);
    const again = [await make(home), await make(away)];
    expect(again.map(({ code }) => code)).toEqual(["secret_shown_once", "secret_shown_once"]);
  });
});

describe("identity.several-organizations-end: a user", () => {
  it("leaves one organization, and continues in another one with the same account, also where registration is closed", async () => {
    const { host, home, away, keys } = await aGuest();
    const { password } = home;
    const left = await identity.send(leaveOrganization, { as: away.principal, replica: 1, body: { password } });
    expect([left.status, left.data.id, left.data.organization_id]).toEqual([200, home.userId, home.organizationId]);
    const goesOn = await personInSessionOf(identity, home, left);
    expect((await me(goesOn)).organizations.map(({ id }) => id)).toEqual([home.organizationId]);
    expect(await Promise.all([stateOf("session", away.token), stateOf("key", keys.away.secret)])).toEqual([
      "session_expired",
      "api_key_invalid",
    ]);
    expect(await Promise.all([stateOf("session", home.token), stateOf("key", keys.home.secret)])).toEqual([
      "Owner",
      "Viewer",
    ]);
    expect(await idsIn(host)).toEqual([host.userId]);
  });

  it("deletes the account in all organizations", async () => {
    const { host, home, away, keys } = await aGuest();
    await identity.aColleague(home, { permissions: "Owner" });
    const { password } = home;
    expect((await identity.send(deleteCurrentUser, { as: away.principal, body: { password } })).status).toBe(200);
    const ended = [stateOf("key", keys.home.secret), stateOf("key", keys.away.secret), stateOf("session", home.token)];
    expect(await Promise.all(ended)).toEqual(["api_key_invalid", "api_key_invalid", "session_expired"]);
    expect(await idsIn(host)).toEqual([host.userId]);
    expect((await identity.actionsOf(host, { action: "deleted" })).slice(0, 1)).toEqual(["User deleted"]);
    expect((await signIn(home)).code).toBe("invalid_credentials");
  });

  it("deletes an organization, and continues in the others, like every other member who has another one", async () => {
    const { host, home, away, keys } = await aGuest();
    const colleague = await identity.aColleague(home, {});
    await joinOrganization(identity, colleague, host);
    const ending = { name: "My Organization", password: home.password };
    await identity.data(deleteOrganization, { as: home.principal, params: { id: home.organizationId }, body: ending });
    const before = [stateOf("session", home.token), stateOf("key", keys.home.secret), stateOf("session", away.token)];
    expect(await Promise.all(before)).toEqual(["session_expired", "api_key_invalid", "Viewer"]);
    expect((await identity.logIn(home)).organizationId).toBe(host.organizationId);
    await identity.sweepOrganizations();
    const goesOn = await identity.logIn(colleague);
    expect([goesOn.userId, goesOn.organizationId]).toEqual([colleague.userId, host.organizationId]);
    expect(await Promise.all([stateOf("session", away.token), stateOf("key", keys.away.secret)])).toEqual([
      "Viewer",
      "Viewer",
    ]);
    expect((await idsIn(host)).sort()).toEqual([host.userId, home.userId, colleague.userId].sort());

    const last = { name: "My Organization", password: host.password };
    await identity.data(deleteOrganization, { as: host.principal, params: { id: host.organizationId }, body: last });
    const { email, password } = colleague;
    expect((await identity.send(register, { body: { email, password } })).status).toBe(200);
    await identity.sweepOrganizations();
    expect((await signIn(home)).code).toBe("invalid_credentials");
    expect((await identity.logIn(colleague)).userId).not.toBe(colleague.userId);
  });
});
