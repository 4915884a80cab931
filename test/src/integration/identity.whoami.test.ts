import { beforeAll, describe, expect, it } from "@jest/globals";
import { aColleague, aKey, anAccount } from "../support/api.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";

let stack: SharedStack;

beforeAll(async () => {
  stack = await sharedStack();
});

const PATH = "/api/v1/auth/whoami";
type WhoAmI = Readonly<Record<string, unknown>>;

describe("identity.whoami: the caller", () => {
  it("is the user and the organization of a session, with all networks of an Owner", async () => {
    const owner = await anAccount(stack.url);
    const home = await owner.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
    const { status, body, headers } = await owner.session.send("get", PATH);
    expect(status).toBe(200);
    expect(body.data as WhoAmI).toMatchObject({
      kind: "session",
      name: null,
      user: { id: owner.userId, email: owner.email, permissions: "Owner" },
      organization: { id: owner.organizationId, name: "My Organization", api_access_enabled: true },
      permissions: "Owner",
      network_ids: [home.id],
      limited_by: [],
    });
    expect(headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/);
  });

  it("has the present permissions of its key, with what limits them, also right after a demotion", async () => {
    const owner = await anAccount(stack.url);
    const network = (name: string) => owner.session.data<{ id: string }>("post", "/api/v1/networks", { name });
    const home = await network("Home");
    const office = await network("Office");
    const user = await aColleague(stack.url, owner, { permissions: "Admin" });
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const key = await aKey(stack.url, user, { permissions: "Admin", name: "CI", expires_at });
    expect(await key.caller.data<WhoAmI>("get", PATH)).toMatchObject({
      ...{ kind: "key", credential_id: key.id, name: "CI", expires_at },
      ...{ permissions: "Admin", network_ids: [home.id, office.id].sort(), limited_by: [] },
    });
    const demotion = { permissions: "Viewer", network_ids: [home.id] };
    await owner.session.data("put", `/api/v1/users/${user.userId}`, demotion);
    expect(await key.caller.data<WhoAmI>("get", PATH)).toMatchObject({
      user: { permissions: "Viewer" },
      permissions: "Viewer",
      network_ids: [home.id],
      limited_by: [
        { by: "user", right: "permissions" },
        { by: "user", right: "network_ids" },
      ],
    });
    const cut = await aKey(stack.url, owner, { permissions: "Member", network_ids: [office.id] });
    expect(await cut.caller.data<WhoAmI>("get", PATH)).toMatchObject({
      permissions: "Member",
      network_ids: [office.id],
      limited_by: [
        { by: "key", right: "permissions" },
        { by: "key", right: "network_ids" },
      ],
    });
  });
});

describe("identity.whoami: callers without a valid credential", () => {
  it("include a removed user, with any credential, once the removal is acknowledged", async () => {
    const owner = await anAccount(stack.url);
    const user = await aColleague(stack.url, owner);
    const key = await aKey(stack.url, user, { permissions: "Member" });
    const codes = async () =>
      Promise.all([user.session, key.caller].map(async (caller) => (await caller.send("get", PATH)).body.code));
    expect(await codes()).toEqual([undefined, undefined]);
    await owner.session.data("delete", `/api/v1/users/${user.userId}`);
    expect(await codes()).toEqual(["session_expired", "api_key_invalid"]);
  });

  it("are rejected", async () => {
    const { session } = await anAccount(stack.url);
    const anonymous = await session.send("get", PATH, undefined, { cookie: "" });
    expect([anonymous.status, anonymous.body.code]).toEqual([401, "not_authenticated"]);
  });
});
