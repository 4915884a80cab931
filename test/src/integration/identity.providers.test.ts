/** Signing in by a real provider, and the account that results. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { createInvite } from "@nts/shared/contract/invites";
import { leaveOrganization } from "@nts/shared/contract/organizations";
import {
  beginProviderSignIn,
  linkProvider,
  listIdentities,
  listProviders,
  prepareProviderSignIn,
  unlinkProvider,
} from "@nts/shared/contract/providers";
import { loginSecondFactor } from "@nts/shared/contract/second-factor";
import { listSessions, type Session } from "@nts/shared/contract/sessions";
import { getCurrentUser, getUser, login } from "@nts/shared/contract/users";
import { hashCredential } from "@nts/shared/credential";
import { INTERNAL } from "@nts/shared/http/headers";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import { tokenOf } from "../support/direct.js";
import { joinOrganization } from "../support/memberships.js";
import { finishSignIn, startSignIn, startedSignInOf } from "../support/provider-sign-ins.js";
import { OWN, type ProviderWorld, startProviderWorld } from "../support/provider-world.js";
import { codeOf, setUpSecondFactor } from "../support/second-factors.js";

let world: ProviderWorld;
beforeAll(async () => {
  world = await startProviderWorld();
});
afterEach(() => {
  world.reset();
});
afterAll(() => world.stop());

const sessionsOf = async (as: UserPrincipal): Promise<readonly Session[]> =>
  (await world.identity.data(listSessions, { as, query: {} })) as unknown as Session[];

/** As a mailed link does. */
const verified = (email: string) =>
  world.identity.db.collection("users").updateOne({ email }, { $set: { email_verified: true } });

describe("identity.providers: beginning a sign-in", () => {
  it("is public, and begins with a redirect and a cookie of this browser", async () => {
    expect(await world.identity.data(listProviders, {})).toEqual([
      { id: OWN, name: "Provider own" },
      { id: "down", name: "Provider down" },
    ]);
    const started = await world.identity.send(beginProviderSignIn, {
      params: { provider: OWN },
      query: { return_to: "/hosts" },
    });
    expect(started.status).toBe(303);
    const url = new URL(started.headers.get("location") ?? "");
    expect(url.origin).toBe(world.provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      code_challenge_method: "S256",
      scope: "openid email profile",
    });
    expect(started.headers.getSetCookie()[0]).toMatch(
      /^sign_in=[\w-]{43}; Max-Age=600; Path=\/api\/auth\/oidc; HttpOnly; SameSite=Lax$/,
    );
    const unknown = await world.identity.send(beginProviderSignIn, { params: { provider: "nobody" } });
    expect([unknown.status, unknown.code]).toEqual([404, "not_found"]);
  });

  it("redirects to no other server", async () => {
    for (const return_to of ["//evil.example", "/\\evil.example", "https://evil.example", "/a b", "/\n"]) {
      const { status } = await world.identity.send(prepareProviderSignIn, {
        params: { provider: OWN },
        body: { return_to },
      });
      expect([return_to, status]).toEqual([return_to, 400]);
    }
  });

  it("reports that the provider is down", async () => {
    const { status, code, headers } = await world.identity.send(prepareProviderSignIn, {
      params: { provider: "down" },
      body: {},
    });
    expect([status, code]).toEqual([503, "provider_unavailable"]);
    expect(headers.get("retry-after")).not.toBeNull();
  });
});

describe("identity.providers: signing in", () => {
  it("begins a session that records the provider, with an audit entry", async () => {
    const owner = await world.anOwner();
    const { subject } = world.anAccount();
    expect(await world.link(owner, subject)).toMatchObject({ problem: null, location: "/settings" });
    const { token } = await world.signInByProvider(subject);
    const { as, userId } = await world.principalOf(token);
    expect(userId).toBe(owner.userId);
    const sessions = await sessionsOf(as);
    expect(sessions.map(({ provider: by }) => by)).toEqual([null, OWN]);
    const entries = await world.identity.entriesOf(owner);
    expect(entries.map(({ action, entity }) => `${entity} ${action}`).slice(-2)).toEqual([
      "User linked",
      "Session created",
    ]);
    expect(entries.at(-1)?.after).toMatchObject({ provider: OWN });
  });

  it("waits for a required second factor, without a session before", async () => {
    const owner = await world.anOwner();
    const { subject } = world.anAccount();
    await world.link(owner, subject);
    const secret = await setUpSecondFactor(world.identity, owner);
    const arrived = await world.signInByProvider(subject);
    expect(arrived.token).toBe("");
    const params = new URLSearchParams(arrived.location.replace(/^\/sign-in#/, ""));
    expect([params.get("set_up"), params.get("next")]).toEqual(["false", "/"]);
    const challenge = params.get("challenge") ?? "";
    const started = await world.identity.send(loginSecondFactor, { body: { challenge, code: codeOf(secret, 1) } });
    const principal = await world.principalOf(tokenOf(started.headers));
    const sessions = await sessionsOf(principal.as);
    expect(sessions.at(-1)?.provider).toBe(OWN);
  });

  it("returns to where it began, which is encrypted in the database", async () => {
    const { subject } = world.anAccount();
    await world.link(await world.anOwner(), subject);
    const pending = world.identity.db.collection<{ _id: string }>("provider_sign_ins");
    const return_to = "/sign-in#invite=a-token";
    const own = await startSignIn(world.identity, OWN, { return_to });
    expect(JSON.stringify(await pending.findOne({ _id: hashCredential(own.state) }))).not.toContain("a-token");
    const { callback } = await world.provider.signIn(own.url, subject);
    const arrived = await finishSignIn(world.identity, OWN, Object.fromEntries(callback.searchParams), own);
    expect(arrived).toMatchObject({ location: return_to, problem: null });
  });

  it("is bounded: the oldest of very many started sign-ins of one address are dropped", async () => {
    const first = await startSignIn(world.identity, OWN);
    const at = await world.provider.signIn(first.url, world.anAccount().subject);
    for (let n = 0; n < 50; n++) await startSignIn(world.identity, OWN);
    expect(await world.identity.db.collection("provider_sign_ins").countDocuments({ address_block: "" })).toBe(50);
    expect(await finishSignIn(world.identity, OWN, Object.fromEntries(at.callback.searchParams), first)).toMatchObject({
      problem: "sign_in_expired",
    });
  });
});

describe("identity.providers: the account of a sign-in", () => {
  it("is rejected without a link, a verified address or an invite", async () => {
    await world.anOwner();
    expect((await world.signInByProvider(world.anAccount().subject)).problem).toBe("account_unknown");
    expect((await world.signInByProvider(world.anAccount({ email_verified: false }).subject)).problem).toBe(
      "address_unverified",
    );
    const owner = await world.identity.aPerson();
    const { token: invite_token } = await world.identity.data(createInvite, {
      as: owner.principal,
      body: { permissions: "Member" },
    });
    expect((await world.signInByProvider(world.anAccount().subject, { invite_token })).problem).toBe("account_unknown");
  });

  it("is that with the same address when the provider has verified it; an unverified account loses all keys", async () => {
    const owner = await world.anOwner();
    const firstOwner = await world.identity.aColleague(owner, { permissions: "Admin" });
    const { secret } = await world.identity.aKey(firstOwner, { permissions: "Admin" });
    expect(
      (await world.signInByProvider(world.anAccount({ email: firstOwner.email, email_verified: false }).subject))
        .problem,
    ).toBe("address_unverified");
    expect(await world.statusOf(firstOwner.token)).toBe("valid");
    const { token } = await world.signInByProvider(world.anAccount({ email: firstOwner.email.toUpperCase() }).subject);
    expect((await world.principalOf(token)).userId).toBe(firstOwner.userId);
    expect(await world.statusOf(firstOwner.token)).toBe("session_expired");
    expect(await world.identity.verify("key", secret, 1)).toMatchObject({ status: "refused", code: "api_key_invalid" });
    const { email, password } = firstOwner;
    expect((await world.identity.send(login, { body: { email, password } })).code).toBe("invalid_credentials");
    expect(await world.identity.actionsOf(owner, { action: "taken_over" })).toEqual(["User taken_over"]);
  });

  it("is linked by an address that both sides have verified, and keeps password, sessions, keys and memberships", async () => {
    const owner = await world.anOwner();
    delete world.settings.organization_id;
    const host = await world.identity.aPerson();
    await verified(owner.email);
    const { secret } = await world.identity.aKey(owner);
    await joinOrganization(world.identity, owner, host);
    const { email, password } = owner;
    const { token } = await world.signInByProvider(world.anAccount({ email: email.toUpperCase() }).subject);
    expect((await world.principalOf(token)).userId).toBe(owner.userId);
    expect(await world.statusOf(owner.token)).toBe("valid");
    expect(await world.identity.verify("key", secret, 1)).toMatchObject({ status: "valid" });
    expect((await world.identity.send(login, { body: { email, password } })).status).toBe(200);
    const me = await world.identity.data(getCurrentUser, { as: owner.principal });
    expect(me.organizations.map(({ id }) => id)).toEqual([owner.organizationId, host.organizationId]);
    expect(await world.identity.actionsOf(owner, { entity: "User" })).toContain("User linked");
    expect(await world.identity.actionsOf(owner, { action: "taken_over" })).toEqual([]);
    expect((await world.signInByProvider(world.anAccount({ email }).subject)).problem).toBe("already_exists");
  });
});

describe("identity.providers: an account with a second factor, or with several organizations", () => {
  it("is linked by a verified address after its second factor, and with several organizations never by the provider of one", async () => {
    const guarded = await world.anOwner();
    await verified(guarded.email);
    await setUpSecondFactor(world.identity, guarded);
    const { subject } = world.anAccount({ email: guarded.email });
    const arrived = await world.signInByProvider(subject);
    expect([arrived.token, arrived.location.startsWith("/sign-in#challenge=")]).toEqual(["", true]);
    expect(await world.statusOf(guarded.token)).toBe("valid");
    const owner = await world.anOwner();
    await verified(owner.email);
    await joinOrganization(world.identity, owner, await world.identity.aPerson());
    expect((await world.signInByProvider(world.anAccount({ email: owner.email }).subject)).problem).toBe(
      "link_required",
    );
  });

  it("is not taken over from a user with a second factor, or with a linked provider", async () => {
    const owner = await world.anOwner();
    const { principal: as, email } = owner;
    const { subject } = world.anAccount();
    await world.link(owner, subject);
    expect((await world.signInByProvider(world.anAccount({ email }).subject)).problem).toBe("already_exists");
    await world.identity.data(unlinkProvider, { as, params: { provider: OWN } });
    await setUpSecondFactor(world.identity, owner);
    expect((await world.signInByProvider(world.anAccount({ email }).subject)).problem).toBe("link_required");
    expect(await world.statusOf(owner.token)).toBe("valid");
  });

  it("is never one of another organization than that of the provider", async () => {
    await world.anOwner({ provision: "always" });
    const stranger = await world.identity.aPerson();
    expect((await world.signInByProvider(world.anAccount({ email: stranger.email }).subject)).problem).toBe(
      "account_unknown",
    );
    expect((await world.link(stranger, world.anAccount().subject)).problem).toBe("account_unknown");
    expect(await world.statusOf(stranger.token)).toBe("valid");
  });
});

describe("identity.providers: a linked account", () => {
  it("is linked to one user, and to one account of a provider", async () => {
    const owner = await world.anOwner();
    const colleague = await world.identity.aColleague(owner, {});
    const { subject } = world.anAccount();
    expect((await world.link(owner, subject)).problem).toBeNull();
    expect((await world.link(colleague, subject)).problem).toBe("already_exists");
    expect((await world.link(owner, world.anAccount().subject)).problem).toBe("already_exists");
    expect((await world.identity.data(listIdentities, { as: owner.principal })).identities).toMatchObject([
      { provider: OWN },
    ]);
  });

  it("is not linked by an ended session, or by another browser", async () => {
    const owner = await world.anOwner();
    const { principal: as } = owner;
    await world.identity.db
      .collection("sessions")
      .updateMany({ user_id: owner.userId }, { $set: { created_at: new Date(0) } });
    const open = await world.identity.send(linkProvider, { as, params: { provider: OWN }, body: {} });
    expect(open.code).toBe("reauthentication_required");
    const response = await world.identity.send(linkProvider, {
      as,
      params: { provider: OWN },
      body: { password: owner.password },
    });
    const { callback } = await world.provider.signIn(startedSignInOf(response).url, world.anAccount().subject);
    await world.identity.db.collection("sessions").deleteMany({ user_id: owner.userId });
    const arrived = await finishSignIn(
      world.identity,
      OWN,
      Object.fromEntries(callback.searchParams),
      startedSignInOf(response),
    );
    expect(arrived).toMatchObject({ problem: "sign_in_expired", location: "/settings?problem=sign_in_expired" });
  });
});

describe("identity.providers: a new account", () => {
  it("is created by an invite where invited users are allowed, once, with the permissions of the invite", async () => {
    const owner = await world.anOwner({ provision: "invited" });
    const body = { permissions: "Member" as const, network_ids: [world.networkIds[0]] };
    const { token: invite_token } = await world.identity.data(createInvite, { as: owner.principal, body });
    const { subject, email } = world.anAccount();
    expect((await world.signInByProvider(world.anAccount().subject)).problem).toBe("account_unknown");
    const { token } = await world.signInByProvider(subject, { invite_token });
    const made = await world.principalOf(token);
    expect(made).toMatchObject({
      organizationId: owner.organizationId,
      permission: "Member",
      networks: [world.networkIds[0]],
    });
    expect((await world.signInByProvider(world.anAccount().subject, { invite_token })).problem).toBe(
      "invalid_reference",
    );
    const user = await world.identity.data(getUser, { as: owner.principal, params: { id: made.userId } });
    expect(user.email).toBe(email);
    expect((await world.principalOf((await world.signInByProvider(subject)).token)).userId).toBe(made.userId);
  });

  it("counts towards those of a site and day, unless the provider names groups or domains", async () => {
    const from = { [INTERNAL.clientAddress]: "192.0.2.99" };
    const signIn = () => world.signInByProvider(world.anAccount().subject, {}, from);
    const counts = world.identity.db.collection("mail_counts");
    const earlier = await counts.distinct("_id");
    await world.anOwner({ provision: "always" });
    expect((await signIn()).problem).toBeNull();
    const { modifiedCount } = await counts.updateMany(
      { _id: { $nin: earlier }, count: 1 },
      { $set: { count: 1_000_000 } },
    );
    expect(modifiedCount).toBe(1);
    expect((await signIn()).problem).toBe("registration_throttled");
    world.settings.domains = ["provider.example"];
    expect((await signIn()).problem).toBeNull();
    world.settings.domains = ["other.example"];
    expect((await signIn()).problem).toBe("provider_denied");
    delete world.settings.domains;
    world.settings.groups = { staff: { permissions: "Viewer", network_ids: [] } };
    const { subject } = world.anAccount({ groups: ["staff"] });
    expect((await world.signInByProvider(subject, {}, from)).problem).toBeNull();
  });

  it("is created for everybody where registration is open", async () => {
    const owner = await world.anOwner({ provision: "always", permissions: "Member" });
    const { subject } = world.anAccount();
    const made = await world.principalOf((await world.signInByProvider(subject)).token);
    expect(made).toMatchObject({ organizationId: owner.organizationId, permission: "Member", networks: [] });
    expect(await world.identity.data(listIdentities, { as: made.as })).toMatchObject({ has_password: false });
    const leaving = await world.identity.send(leaveOrganization, { as: made.as, body: {} });
    expect(leaving.code).toBe("last_sign_in");
    const unlinking = await world.identity.send(unlinkProvider, { as: made.as, params: { provider: OWN } });
    expect([unlinking.status, unlinking.code]).toEqual([409, "last_sign_in"]);
  });
});
