import { beforeAll, describe, expect, it } from "@jest/globals";
import { createNetwork, deleteNetwork } from "@nts/shared/contract/networks";
import { createInvite } from "@nts/shared/contract/invites";
import { createKey, deleteKey, getKey, listKeys, rotateKey, type UserApiKey } from "@nts/shared/contract/keys";
import { requestPasswordReset } from "@nts/shared/contract/mail";
import {
  createUser,
  deleteUser,
  getCurrentUser,
  getUser,
  listUsers,
  login,
  register,
  updateUser,
  type User,
  type UserCreate,
} from "@nts/shared/contract/users";
import { updateOrganization } from "@nts/shared/contract/organizations";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import { createDirect, type Direct, keyBodyOf, type Person } from "../support/direct.js";
import { setUpSecondFactor } from "../support/second-factors.js";
import { sharedStack } from "../support/shared-stack.js";
import { until } from "../support/until.js";

/** Of concurrent demotions and removals. */
const ROUNDS = Math.min(60, Number(process.env["RACE_ROUNDS"] ?? 4));

let identity: Direct;

beforeAll(async () => {
  identity = createDirect(await sharedStack());
});

const aNetwork = async ({ principal }: Person, name: string): Promise<string> =>
  (await identity.data(createNetwork, { as: principal, body: { name } })).id;
const idOf = ({ userId }: Person) => ({ params: { id: userId } });
const refusal = (required: string) => ({ status: 403, code: "permission_denied", params: { required } });

async function listed(as: UserPrincipal, query: object = {}): Promise<string[]> {
  const { data } = await identity.send(listUsers, { as, query });
  return (data as unknown as User[]).map(({ id }) => id);
}

describe("identity.users: reading", () => {
  it("shows an Admin all users of the organization, and no others, with the networks that exist now", async () => {
    const owner = await identity.aPerson();
    const home = await aNetwork(owner, "Home");
    const office = await aNetwork(owner, "Office");
    const member = await identity.aColleague(owner, { network_ids: [home] });
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const stranger = await identity.aPerson();
    expect(await listed(admin.principal)).toEqual([owner, member, admin].map(({ userId }) => userId));
    const read = await identity.data(getUser, { as: admin.principal, ...idOf(member) });
    expect(read).toMatchObject({ id: member.userId, email: member.email, permissions: "Member", network_ids: [home] });
    expect(await identity.data(getUser, { as: owner.principal, ...idOf(admin) })).toMatchObject({
      network_ids: [home, office].sort(),
    });
    expect(await identity.send(getUser, { as: admin.principal, ...idOf(stranger) })).toMatchObject({
      status: 404,
      params: { entity: "User" },
    });
    expect(await identity.send(listUsers, { as: member.principal })).toMatchObject(refusal("Admin"));
  });

  it("pages, orders and filters", async () => {
    const owner = await identity.aPerson();
    const home = await aNetwork(owner, "Home");
    const office = await aNetwork(owner, "Office");
    const a = await identity.aColleague(owner, { network_ids: [home] });
    const b = await identity.aColleague(owner, { permissions: "Viewer", network_ids: [office] });
    const ids = (...people: Person[]) => people.map(({ userId }) => userId);
    const as = owner.principal;
    expect(await listed(as, { order_by: "email", order_direction: "desc", limit: 2 })).toHaveLength(2);
    expect(await listed(as, { limit: 0, offset: 1 })).toEqual(ids(a, b));
    expect(await listed(as, { network_id: office })).toEqual(ids(owner, b));
    expect(await listed(as, { network_id: owner.userId })).toEqual([]);
    expect(await listed(as, { ids: `${a.userId},${(await identity.aPerson()).userId}` })).toEqual(ids(a));
  });

  it("shows a caller restricted to networks nothing of others", async () => {
    const owner = await identity.aPerson();
    const home = await aNetwork(owner, "Home");
    const office = await aNetwork(owner, "Office");
    const member = await identity.aColleague(owner, { network_ids: [home, office] });
    const as: UserPrincipal = { ...owner.principal, scope: { ...owner.principal.scope, networks: [home] } };
    expect(await identity.data(getUser, { as, ...idOf(member) })).toMatchObject({ network_ids: [home] });
    expect(await listed(as, { network_id: office })).toEqual([]);
  });
});

describe("identity.users: changing", () => {
  it("applies to every key and session of the user: level and networks", async () => {
    const owner = await identity.aPerson();
    const home = await aNetwork(owner, "Home");
    const office = await aNetwork(owner, "Office");
    const user = await identity.aColleague(owner, { permissions: "Admin" });
    const free = await identity.aKey(user, { permissions: "Admin" });
    const cut = await identity.aKey(user, { permissions: "Member", network_ids: [office] });
    const rights = (secrets: [kind: "key" | "session", secret: string][]) =>
      Promise.all(
        secrets.map(async ([kind, secret]) => {
          const verified = await identity.verify(kind, secret, 1);
          return verified.status === "valid" && [verified.principal.permission, verified.principal.networks];
        }),
      );
    const all: [kind: "key" | "session", secret: string][] = [
      ["session", user.token],
      ["key", free.secret],
      ["key", cut.secret],
    ];
    expect(await rights(all)).toEqual([
      ["Admin", "all"],
      ["Admin", "all"],
      ["Member", [office]],
    ]);
    const put = (body: { permissions: "Member" | "Viewer" | "Admin"; network_ids?: string[] }) =>
      identity.data(updateUser, { as: owner.principal, ...idOf(user), body });
    await put({ permissions: "Member", network_ids: [home] });
    expect(await rights(all)).toEqual([
      ["Member", [home]],
      ["Member", [home]],
      ["Member", []],
    ]);
    await put({ permissions: "Viewer", network_ids: [office] });
    expect(await rights(all)).toEqual([
      ["Viewer", [office]],
      ["Viewer", [office]],
      ["Viewer", [office]],
    ]);
    await put({ permissions: "Admin" });
    expect(await rights(all)).toEqual([
      ["Admin", "all"],
      ["Admin", "all"],
      ["Member", [office]],
    ]);
  });

  it("is allowed to Admins for Members and Viewers only, to Owners for everybody", async () => {
    const owner = await identity.aPerson();
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const other = await identity.aColleague(owner, { permissions: "Admin" });
    const member = await identity.aColleague(owner, {});
    const put = (as: Person, whom: Person, permissions: User["permissions"]) =>
      identity.send(updateUser, { as: as.principal, ...idOf(whom), body: { permissions } });
    expect(await put(admin, member, "Viewer")).toMatchObject({ status: 200, data: { permissions: "Viewer" } });
    for (const [whom, level] of [
      [member, "Admin"],
      [other, "Viewer"],
      [admin, "Owner"],
      [owner, "Member"],
    ] as const)
      expect(await put(admin, whom, level)).toMatchObject(refusal("Owner"));
    expect(await put(member, member, "Owner")).toMatchObject(refusal("Admin"));
    expect(await put(owner, other, "Owner")).toMatchObject({ status: 200 });
    expect(await put(owner, owner, "Admin")).toMatchObject({ status: 200, data: { permissions: "Admin" } });
    for (const whom of [other, owner])
      expect(await identity.send(deleteUser, { as: admin.principal, ...idOf(whom) })).toMatchObject(refusal("Owner"));
  });
});

describe("identity.users: rejected changes", () => {
  it("include all by a key that is restricted to networks", async () => {
    const owner = await identity.aPerson();
    const member = await identity.aColleague(owner, {});
    const as: UserPrincipal = { ...owner.principal, kind: "key", scope: { ...owner.principal.scope, networks: [] } };
    const body = { permissions: "Viewer" } as const;
    expect(await identity.send(updateUser, { as, ...idOf(member), body })).toMatchObject(refusal("all_networks"));
    expect(await identity.send(deleteUser, { as, ...idOf(member) })).toMatchObject(refusal("all_networks"));
  });

  it("include foreign networks and an outdated revision; sending the user back changes nothing", async () => {
    const owner = await identity.aPerson();
    const home = await aNetwork(owner, "Home");
    const foreign = await aNetwork(await identity.aPerson(), "Foreign");
    const member = await identity.aColleague(owner, { network_ids: [home] });
    const put = (body: User | { permissions: "Member"; network_ids: string[] }, revision = "*") =>
      identity.send(updateUser, { as: owner.principal, ...idOf(member), body, headers: { "if-match": revision } });
    for (const id of [foreign, owner.userId])
      expect(await put({ permissions: "Member", network_ids: [home, id] })).toMatchObject({
        status: 400,
        code: "invalid_reference",
        params: { path: "network_ids.1" },
      });
    const before = await identity.send(getUser, { as: owner.principal, ...idOf(member) });
    const echoed = await put(before.data);
    expect([echoed.text, echoed.headers.get("etag")]).toEqual([before.text, '"1"']);
    expect((await put({ permissions: "Member", network_ids: [] }, '"1"')).headers.get("etag")).toBe('"2"');
    expect(await put({ permissions: "Member", network_ids: [home] }, '"1"')).toMatchObject({ status: 412 });
  });
});

describe("identity.users: removing", () => {
  it("ends every key and session of the user, and frees the email address", async () => {
    const owner = await identity.aPerson();
    const user = await identity.aColleague(owner, { permissions: "Admin" });
    const { secret } = await identity.aKey(user);
    expect(await identity.data(deleteUser, { as: owner.principal, ...idOf(user) })).toBeNull();
    expect(await identity.verify("session", user.token, 1)).toMatchObject({ code: "session_expired" });
    expect(await identity.verify("key", secret, 1)).toMatchObject({ code: "api_key_invalid" });
    await expect(identity.logIn(user)).rejects.toThrow("invalid_credentials");
    expect(await identity.send(deleteUser, { as: owner.principal, ...idOf(user) })).toMatchObject({ status: 404 });
    expect(await identity.send(getCurrentUser, { as: user.principal })).toMatchObject({
      status: 401,
      code: "session_expired",
    });
  });

  it("does not affect users of other organizations", async () => {
    const [owner, stranger] = await Promise.all([identity.aPerson(), identity.aPerson()]);
    for (const [operation, question] of [
      [deleteUser, {}],
      [updateUser, { body: { permissions: "Viewer" } }],
    ] as const)
      expect(await identity.send(operation, { as: owner.principal, ...idOf(stranger), ...question })).toMatchObject({
        status: 404,
        code: "not_found",
        params: { entity: "User" },
      });
    expect(await identity.verify("session", stranger.token)).toMatchObject({ status: "valid" });
  });
});

describe("identity.users: the last Owner", () => {
  it("can neither be demoted nor removed", async () => {
    const owner = await identity.aPerson();
    await identity.aColleague(owner, { permissions: "Admin" });
    const question = { as: owner.principal, ...idOf(owner) };
    const refused = { status: 409, code: "last_owner", params: {} };
    expect(await identity.send(updateUser, { ...question, body: { permissions: "Admin" } })).toMatchObject(refused);
    expect(await identity.send(deleteUser, question)).toMatchObject(refused);
    expect(await identity.verify("session", owner.token)).toMatchObject({ principal: { permission: "Owner" } });
  });

  it("remains when the last two demote or remove each other concurrently", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const one = await identity.aPerson();
      const two = await identity.aColleague(one, { permissions: "Owner" });
      const demote = (as: Person, whom: Person, replica: number) =>
        identity.send(updateUser, { as: as.principal, replica, ...idOf(whom), body: { permissions: "Viewer" } });
      const responses = await Promise.all([
        demote(one, two, 0),
        round % 2 === 0
          ? demote(two, one, 1)
          : identity.send(deleteUser, { as: two.principal, replica: 1, ...idOf(one) }),
      ]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(responses.find(({ status }) => status === 409)?.code).toBe("last_owner");
    }
  });
});

describe("identity.users: networks that are deleted", () => {
  it("leave a restricted key and a granted user with nothing", async () => {
    const owner = await identity.aPerson();
    const home = await aNetwork(owner, "Home");
    const user = await identity.aColleague(owner, { network_ids: [home] });
    const cut = await identity.aKey(owner, { permissions: "Owner", network_ids: [home] });
    await identity.data(deleteNetwork, { as: owner.principal, params: { id: home } });
    const networksOf = async (kind: "key" | "session", secret: string) => {
      const verified = await identity.verify(kind, secret, 1);
      return verified.status === "valid" ? verified.principal.networks : verified.code;
    };
    await until(async () => !(await networksOf("key", cut.secret)).includes(home));
    expect(await networksOf("key", cut.secret)).toEqual([]);
    expect(await networksOf("session", user.token)).toEqual([]);
    expect(await identity.data(getUser, { as: owner.principal, ...idOf(user) })).toMatchObject({ network_ids: [] });
  });
});

describe("identity.users: an organization that rejects API keys", () => {
  it("rejects those of all its users, and no session", async () => {
    const owner = await identity.aPerson();
    const user = await identity.aColleague(owner, {});
    const { secret } = await identity.aKey(user);
    await identity.data(updateOrganization, {
      as: owner.principal,
      params: { id: owner.organizationId },
      body: { name: "Acme", api_access_enabled: false },
    });
    expect(await identity.verify("key", secret)).toMatchObject({ code: "api_access_disabled" });
    expect(await identity.verify("session", user.token)).toMatchObject({ status: "valid" });
  });
});

describe("identity.users: service accounts", () => {
  const create = (as: UserPrincipal, more: Partial<UserCreate> = {}) =>
    identity.send(createUser, { as, body: { kind: "service", name: "Backup bot", permissions: "Member", ...more } });
  const keyOf = ({ organizationId }: Person, userId: string, more: object = {}) =>
    keyBodyOf({ userId, organizationId }, { permissions: "Member", ...more });
  const stateOf = async (secret: string) => {
    const verified = await identity.verify("key", secret);
    return verified.status === "valid" ? verified.principal.permission : verified.code;
  };

  it("are made by Admins below their own level, never as Owner, and have a name that receives no mail", async () => {
    const owner = await identity.aPerson();
    const home = await aNetwork(owner, "Home");
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const member = await identity.aColleague(owner, { network_ids: [home] });
    const { status, data } = await create(admin.principal, { network_ids: [home] });
    expect([status, data.kind, data.name, data.permissions, data.network_ids]).toEqual([
      ...[200, "service", "Backup bot", "Member"],
      [home],
    ]);
    expect(data.email).toMatch(/^backup-bot\.[0-9a-f]{12}@service\.invalid$/);
    expect(await listed(admin.principal)).toContain(data.id);
    expect(await identity.data(getUser, { as: owner.principal, ...idOf(owner) })).toMatchObject({
      kind: "person",
      name: null,
    });
    expect(await create(admin.principal, { permissions: "Admin" })).toMatchObject(refusal("Owner"));
    expect((await create(owner.principal, { permissions: "Admin" })).status).toBe(200);
    expect(await create(owner.principal, { permissions: "Owner" as "Admin" })).toMatchObject({ status: 400 });
    expect(await create(member.principal)).toMatchObject(refusal("Admin"));
    const elsewhere = await aNetwork(await identity.aPerson(), "Elsewhere");
    expect((await create(owner.principal, { network_ids: [elsewhere] })).code).toBe("invalid_reference");
    const promoted = { as: owner.principal, params: { id: data.id }, body: { permissions: "Owner" as const } };
    expect(await identity.send(updateUser, promoted)).toMatchObject({ status: 400, code: "validation_failed" });
  });

  it("cannot sign in, be registered, invited, or have a password reset, with an error that says so", async () => {
    const owner = await identity.aPerson();
    const { email } = (await create(owner.principal)).data;
    const password = "correct horse battery staple";
    const as = owner.principal;
    for (const response of [
      await identity.send(login, { body: { email, password } }),
      await identity.send(register, { body: { email, password } }),
      await identity.send(requestPasswordReset, { body: { email } }),
      await identity.send(createInvite, { as, body: { permissions: "Member", email } }),
    ])
      expect([response.status, response.text]).toEqual([400, expect.stringContaining("is a service account")]);
  });

  it("have keys that Admins make, list, rotate and delete, within the rights of the account, and others do not see", async () => {
    const owner = await identity.aPerson();
    const home = await aNetwork(owner, "Home");
    const office = await aNetwork(owner, "Office");
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const member = await identity.aColleague(owner, { network_ids: [home] });
    const { id } = (await create(admin.principal, { network_ids: [home] })).data;
    const as = admin.principal;
    const { api_key, key } = await identity.data(createKey, { as, body: keyOf(owner, id) });
    expect(api_key).toMatchObject({ user_id: id, network_ids: [home] });
    for (const [more, code] of [
      [{ permissions: "Admin" }, "permission_denied"],
      [{ network_ids: [office] }, "invalid_reference"],
    ] as const)
      expect((await identity.send(createKey, { as, body: keyOf(owner, id, more) })).code).toBe(code);
    const keysOf = async (person: Person) => {
      const { data } = await identity.send(listKeys, { as: person.principal, query: { user_id: id } });
      return (data as unknown as UserApiKey[]).map((one) => one.id);
    };
    expect([await keysOf(admin), await keysOf(owner), await keysOf(member)]).toEqual([[api_key.id], [api_key.id], []]);
    const params = { id: api_key.id };
    const denied = [
      await identity.send(getKey, { as: member.principal, params }),
      await identity.send(rotateKey, { as: member.principal, params }),
      await identity.send(deleteKey, { as: member.principal, params }),
    ];
    expect(denied.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await identity.send(createKey, { as: member.principal, body: keyOf(owner, id) })).toMatchObject(
      refusal("own_user"),
    );
    // Keys of people stay their own.
    const ofMember = await identity.aKey(member);
    expect((await identity.send(getKey, { as, params: ofMember.params })).status).toBe(404);
    expect(await identity.send(createKey, { as, body: keyOf(owner, member.userId) })).toMatchObject(
      refusal("own_user"),
    );

    const next = await identity.data(rotateKey, { as, params });
    expect([await stateOf(key), await stateOf(next)]).toEqual(["api_key_invalid", "Member"]);
    // It outlives whoever made it, and needs no second factor.
    await identity.data(deleteUser, { as: owner.principal, ...idOf(admin) });
    expect(await stateOf(next)).toBe("Member");
    await identity.data(updateUser, { as: owner.principal, params: { id }, body: { permissions: "Viewer" } });
    expect(await stateOf(next)).toBe("Viewer");
    await identity.data(deleteKey, { as: owner.principal, params });
    expect(await stateOf(next)).toBe("api_key_invalid");
    const last = await identity.data(createKey, {
      as: owner.principal,
      body: keyOf(owner, id, { permissions: "Viewer" }),
    });
    await identity.data(deleteUser, { as: owner.principal, params: { id } });
    expect(await stateOf(last.key)).toBe("api_key_invalid");
  });

  it("keep their access when the organization requires a second factor", async () => {
    const owner = await identity.aPerson();
    const { id } = (await create(owner.principal)).data;
    const { key } = await identity.data(createKey, { as: owner.principal, body: keyOf(owner, id) });
    await setUpSecondFactor(identity, owner);
    const { organizationId } = owner;
    const body = { name: "Strict", require_second_factor: true };
    await identity.data(updateOrganization, { as: owner.principal, params: { id: organizationId }, body });
    expect(await stateOf(key)).toBe("Member");
    const colleague = await identity.send(createUser, {
      as: owner.principal,
      body: { kind: "service", name: "!!!", permissions: "Admin" },
    });
    expect(colleague.data.email).toMatch(/^[0-9a-f]{12}@service\.invalid$/);
  });
});
