/** What a provider controls: permissions, sessions, and whether passwords are needed. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { createInvite } from "@nts/shared/contract/invites";
import { getOrganization, patchOrganization } from "@nts/shared/contract/organizations";
import { providerLogout, unlinkProvider } from "@nts/shared/contract/providers";
import { changePassword, getUser, login, patchUser, register } from "@nts/shared/contract/users";
import { newId } from "@nts/shared/ids";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import { tokenOf } from "../support/direct.js";
import { OWN, type ProviderWorld, startProviderWorld } from "../support/provider-world.js";

let world: ProviderWorld;
beforeAll(async () => {
  world = await startProviderWorld();
});
afterEach(() => {
  world.reset();
});
afterAll(() => world.stop());

describe("identity.providers: groups", () => {
  const groupsOf = ([network, another]: readonly [string, string]) => ({
    admins: { permissions: "Admin" as const, network_ids: [] },
    lab: { permissions: "Member" as const, network_ids: [network] },
    office: { permissions: "Viewer" as const, network_ids: [another, newId()] },
  });

  it("give the highest level and all existing networks, at each sign-in", async () => {
    const owner = await world.anOwner({ provision: "always", groups: groupsOf(world.networkIds) });
    const { subject } = world.anAccount({ groups: ["office", "lab", "unknown"] });
    const first = await world.principalOf((await world.signInByProvider(subject)).token);
    expect([first.permission, first.networks]).toEqual(["Member", world.networkIds]);
    world.provider.accounts.set(subject, { ...world.provider.accounts.get(subject), groups: ["admins"] });
    const second = await world.principalOf((await world.signInByProvider(subject)).token);
    expect([second.userId, second.permission, second.networks]).toEqual([first.userId, "Admin", "all"]);
    const entries = await world.identity.entriesOf(owner, { entity: "User", action: "updated" });
    expect(entries.at(-1)).toMatchObject({ fields: ["permissions", "network_ids"], actor: { user_id: first.userId } });
  });

  it("remove a level through the change log: earlier sessions and keys have it no longer after the response", async () => {
    await world.anOwner({ provision: "always", groups: groupsOf(world.networkIds) });
    const { subject, email } = world.anAccount({ groups: ["admins"] });
    const { token } = await world.signInByProvider(subject);
    const { as, userId, organizationId } = await world.principalOf(token);
    const { secret } = await world.identity.aKey(
      { principal: as, userId, organizationId, email, password: "", token },
      { permissions: "Admin" },
    );
    const number = async () =>
      (await world.identity.db.collection<{ _id: string; number: number }>("counters").findOne({ _id: "key_changes" }))
        ?.number ?? 0;
    const before = await number();
    world.provider.accounts.set(subject, { email, email_verified: true, groups: ["office"] });
    await world.signInByProvider(subject);
    expect(await number()).toBe(before + 1);
    expect(await world.principalOf(token, 1)).toMatchObject({ permission: "Viewer", networks: [world.networkIds[1]] });
    expect(await world.identity.verify("key", secret, 1)).toMatchObject({
      status: "valid",
      principal: { permission: "Viewer" },
    });
  });

  it("reject users in none of them, and end their permissions and sessions", async () => {
    const owner = await world.anOwner({ provision: "always", groups: groupsOf(world.networkIds) });
    expect(
      (await world.signInByProvider(world.anAccount({ groups: ["unknown", "constructor"] }).subject)).problem,
    ).toBe("provider_denied");
    const { subject, email } = world.anAccount({ groups: ["admins"] });
    const { token } = await world.signInByProvider(subject);
    const { userId } = await world.principalOf(token);
    world.provider.accounts.set(subject, { email, email_verified: true });
    expect(await world.signInByProvider(subject)).toMatchObject({ problem: "provider_denied", token: "" });
    expect(await world.statusOf(token)).toBe("session_expired");
    const user = await world.identity.data(getUser, { as: owner.principal, params: { id: userId } });
    expect([user.permissions, user.network_ids]).toEqual(["Viewer", []]);
  });

  it("never remove the last Owner, of whom there may be several", async () => {
    const owner = await world.anOwner({ groups: groupsOf(world.networkIds) });
    const { subject } = world.anAccount({ groups: ["office"] });
    await world.link(owner, subject);
    expect((await world.principalOf((await world.signInByProvider(subject)).token)).permission).toBe("Owner");
    const colleague = await world.identity.aColleague(owner, { permissions: "Owner" });
    expect((await world.principalOf((await world.signInByProvider(subject)).token)).permission).toBe("Viewer");
    const { as } = await world.principalOf(colleague.token);
    await world.identity.data(patchUser, { as, params: { id: owner.userId }, body: { permissions: "Admin" } });
    expect((await world.principalOf((await world.signInByProvider(subject)).token)).permission).toBe("Viewer");
  });
});

describe("identity.providers: signing out and unlinking", () => {
  it("ends the session when it ends at the provider", async () => {
    const owner = await world.anOwner();
    const { subject } = world.anAccount();
    await world.link(owner, subject);
    const { token, signOut } = await world.signInByProvider(subject);
    const other = await world.signInByProvider(subject);
    await signOut();
    const logout_token = world.provider.logoutTokens.at(-1) ?? "";
    const body = new URLSearchParams({ logout_token }).toString();
    expect((await world.identity.send(providerLogout, { params: { provider: OWN }, body })).status).toBe(200);
    expect(await Promise.all([token, other.token, owner.token].map(world.statusOf))).toEqual([
      "session_expired",
      "valid",
      "valid",
    ]);
    expect((await world.identity.actionsOf(owner)).at(-1)).toBe("Session deleted");
  });

  it("ends the sessions that a provider began when it is unlinked, and no others", async () => {
    const owner = await world.anOwner();
    const { subject } = world.anAccount();
    await world.link(owner, subject);
    const { token } = await world.signInByProvider(subject);
    const { as } = await world.principalOf(token);
    const unlinked = await world.identity.send(unlinkProvider, { as, params: { provider: OWN } });
    expect([unlinked.status, tokenOf(unlinked.headers)]).toEqual([200, ""]);
    expect(await Promise.all([token, owner.token].map(world.statusOf))).toEqual(["session_expired", "valid"]);
    expect((await world.signInByProvider(subject)).problem).toBe("account_unknown");
  });
});

describe("identity.providers: an organization without passwords", () => {
  const setPasswords = (
    { as, organizationId: id }: { as: UserPrincipal; organizationId: string },
    password_login: boolean,
  ) => world.identity.send(patchOrganization, { as, params: { id }, body: { password_login } });

  it("is configured by an Owner who signed in by a provider, and ends the sessions of passwords", async () => {
    const owner = await world.anOwner();
    const colleague = await world.identity.aColleague(owner, {});
    const { subject } = world.anAccount();
    await world.link(owner, subject);
    const byPassword = { as: owner.principal, organizationId: owner.organizationId };
    expect(await setPasswords(byPassword, false)).toMatchObject({ status: 403, code: "provider_required" });
    const { token } = await world.signInByProvider(subject);
    const principal = await world.principalOf(token);
    expect((await setPasswords(principal, false)).status).toBe(200);
    expect(await Promise.all([token, owner.token, colleague.token].map(world.statusOf))).toEqual([
      "valid",
      "session_expired",
      "session_expired",
    ]);
    expect(await world.identity.data(getOrganization, { as: principal.as })).toMatchObject({ password_login: false });
    const { email, password } = colleague;
    expect(await world.identity.send(login, { body: { email, password } })).toMatchObject({
      status: 403,
      code: "password_login_disabled",
    });
    expect((await world.identity.send(login, { body: { email, password: "a wrong one" } })).code).toBe(
      "invalid_credentials",
    );
    const { token: invite_token } = await world.identity.data(createInvite, {
      as: principal.as,
      body: { permissions: "Viewer" },
    });
    const body = { email: `late-${owner.userId}@example.com`, password: "correct horse battery staple", invite_token };
    expect((await world.identity.send(register, { body })).code).toBe("password_login_disabled");
    expect((await world.identity.send(unlinkProvider, { as: principal.as, params: { provider: OWN } })).code).toBe(
      "last_sign_in",
    );
    expect((await setPasswords(principal, true)).status).toBe(200);
    expect((await world.identity.send(login, { body: { email, password } })).status).toBe(200);
  });

  it("keeps the session in which the password is changed", async () => {
    const owner = await world.anOwner();
    const { subject } = world.anAccount();
    await world.link(owner, subject);
    const principal = await world.principalOf((await world.signInByProvider(subject)).token);
    await setPasswords(principal, false);
    const body = { current_password: owner.password, new_password: "a lantern on the third raft" };
    const changed = await world.identity.send(changePassword, { as: principal.as, body });
    expect(await world.statusOf(tokenOf(changed.headers))).toBe("valid");
  });
});
