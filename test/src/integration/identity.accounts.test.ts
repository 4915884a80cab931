import { beforeAll, describe, expect, it } from "@jest/globals";
import { getOrganization, updateOrganization, updateOrganizationProfile } from "@nts/shared/contract/organizations";
import { getCurrentUser, login, logout, postCurrentUser, register } from "@nts/shared/contract/users";
import { createNetwork } from "@nts/shared/contract/networks";
import { createDirect, tokenOf, type Direct } from "../support/direct.js";
import { sharedStack } from "../support/shared-stack.js";

let identity: Direct;

beforeAll(async () => {
  identity = createDirect(await sharedStack());
});

const credentials = (email: string) => ({ email, password: "correct horse battery staple" });

describe("identity.accounts: registering", () => {
  it("creates an organization, its first Owner, and a session", async () => {
    const body = { ...credentials("Grace.Hopper@Example.com "), organization_name: "Navy" };
    const { data, headers } = await identity.send(register, { body });
    expect(data).toMatchObject({ email: "grace.hopper@example.com", permissions: "Owner", network_ids: [] });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^session_id=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const verified = await identity.verify("session", tokenOf(headers), 1);
    expect(verified).toMatchObject({
      status: "valid",
      principal: { kind: "session", user_id: data.id, permission: "Owner", networks: "all" },
    });
  });

  it("names an organization My Organization by default, and allows API keys", async () => {
    const { principal } = await identity.aPerson();
    expect(await identity.data(getOrganization, { as: principal })).toMatchObject({
      name: "My Organization",
      api_access_enabled: true,
      require_second_factor: false,
      max_key_lifetime_days: null,
      company_size: null,
      job_title: null,
    });
  });

  it("rejects an email address that is in use, also in another case, and one of two concurrent ones", async () => {
    const responses = await Promise.all(
      ["twice@example.com", "TWICE@example.com"].map((email, replica) =>
        identity.send(register, { replica, body: credentials(email) }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(responses.find(({ status }) => status === 409)).toMatchObject({
      code: "already_exists",
      params: { entity: "User", field: "email" },
    });
  });

  it("reports every error of the body at once", async () => {
    const { status, params } = await identity.send(register, { body: { email: "nobody", password: "short" } });
    expect(status).toBe(400);
    expect(params).toMatchObject({ errors: [{ path: "email" }, { path: "password" }] });
  });
});

describe("identity.accounts: logging in and out", () => {
  it("creates a new session each time and keeps the others", async () => {
    const first = await identity.aPerson();
    const second = await identity.logIn({ ...first, email: first.email.toUpperCase() });
    expect(second.token).not.toBe(first.token);
    for (const { token } of [first, second])
      expect(await identity.verify("session", token)).toMatchObject({ status: "valid" });
  });

  it("returns the same bytes for a wrong password and an unknown user", async () => {
    const { email } = await identity.aPerson();
    const wrong = await identity.send(login, { body: { email, password: "wrong" } });
    const unknown = await identity.send(login, { body: { email: `no-${email}`, password: "wrong" } });
    expect(wrong).toMatchObject({ status: 401, code: "invalid_credentials", params: {} });
    expect(unknown.text).toBe(wrong.text);
    expect(unknown.headers.get("set-cookie")).toBeNull();
  });

  it("ends only the session of the caller on logout", async () => {
    const first = await identity.aPerson();
    const second = await identity.logIn(first);
    const { status, headers } = await identity.send(logout, { as: first.principal });
    expect(status).toBe(200);
    expect(headers.getSetCookie()).toEqual(["session_id=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"]);
    expect(await identity.verify("session", first.token, 1)).toMatchObject({ code: "session_expired" });
    expect(await identity.verify("session", second.token, 1)).toMatchObject({ status: "valid" });
  });

  it("logs out without a session, and repeatedly", async () => {
    const { principal } = await identity.aPerson();
    for (const as of [undefined, principal, principal])
      expect(await identity.send(logout, as === undefined ? {} : { as })).toMatchObject({ status: 200, data: null });
  });
});

describe("identity.accounts: the current user", () => {
  it("is returned with the networks that exist now, by GET and by POST", async () => {
    const { principal, userId, email } = await identity.aPerson();
    const network = await identity.data(createNetwork, { as: principal, body: { name: "Home" } });
    for (const operation of [getCurrentUser, postCurrentUser])
      expect(await identity.data(operation, { as: principal })).toMatchObject({
        id: userId,
        email,
        network_ids: [network.id],
      });
  });
});

describe("identity.accounts: the organization", () => {
  it("is changed by an Owner only, and only the caller's own", async () => {
    const { principal, organizationId } = await identity.aPerson();
    const stranger = await identity.aPerson();
    const change = { params: { id: organizationId }, body: { name: "Renamed" } };
    expect(
      await identity.send(updateOrganization, { ...change, as: { ...principal, permission: "Admin" } }),
    ).toMatchObject({ status: 403, code: "permission_denied", params: { required: "Owner" } });
    expect(await identity.send(updateOrganization, { ...change, as: stranger.principal })).toMatchObject({
      status: 404,
      params: { entity: "Organization" },
    });
    expect(await identity.data(updateOrganization, { ...change, as: principal })).toMatchObject({
      name: "Renamed",
      api_access_enabled: true,
      require_second_factor: false,
      max_key_lifetime_days: null,
    });
  });

  it("keeps its revision when nothing changes, and rejects an outdated revision", async () => {
    const { principal, organizationId } = await identity.aPerson();
    const put = (name: string, headers = {}) =>
      identity.send(updateOrganization, { as: principal, params: { id: organizationId }, body: { name }, headers });
    const before = await put("Acme", { "if-match": '"1"' });
    const same = await put("Acme", { "if-match": '"2"' });
    expect([before, same].map(({ headers }) => headers.get("etag"))).toEqual(['"2"', '"2"']);
    expect(same.data).toEqual(before.data);
    expect(await put("Other", { "if-match": '"1"' })).toMatchObject({ status: 412, code: "precondition_failed" });
    const read = await identity.send(getOrganization, { as: principal, headers: { "if-none-match": '"2"' } });
    expect(read.status).toBe(304);
  });

  it("stores the onboarding profile: absent keeps, null clears, an empty body is accepted", async () => {
    const { principal } = await identity.aPerson();
    const updateProfile = (body: { company_size?: string | null; job_title?: string | null }) =>
      identity.data(updateOrganizationProfile, { as: principal, body });
    expect(await updateProfile({ company_size: "11-50", job_title: "Engineer" })).toEqual({
      company_size: "11-50",
      job_title: "Engineer",
    });
    expect(await updateProfile({ company_size: null })).toEqual({ company_size: null, job_title: "Engineer" });
    expect(await updateProfile({})).toEqual({ company_size: null, job_title: "Engineer" });
  });

  it("keeps both of two profiles that are written concurrently", async () => {
    const { principal } = await identity.aPerson();
    const profiles = [{ company_size: "1-10" }, { job_title: "Owner" }];
    await Promise.all(
      profiles.map((body, replica) => identity.data(updateOrganizationProfile, { as: principal, replica, body })),
    );
    expect(await identity.data(getOrganization, { as: principal })).toMatchObject({ ...profiles[0], ...profiles[1] });
  });
});
