/** Changes that revoke permissions, each of a credential of its own. */
import { OPERATIONS, type AnyEndpoint, type SecondFactorOffer } from "@nts/shared/contract";
import { REVOKE } from "@nts/gateway/oauth/endpoints";
import { requestTarget } from "@nts/client/request-target";
import { aColleague, aGuest, aKey, anAccount, anotherSession, aProgramOf, callerOf, type Account } from "./api.js";
import { aCollector, aJob, machine } from "./collectors.js";
import { type RevocationTools, PROVIDER } from "./revocable.js";
import { letIn } from "./oauth.js";
import { codeOf, withSecondFactor } from "./second-factors.js";

/** A valid credential, and the change that revokes it. */
export interface Revocation {
  readonly kind: string;
  /** The request that gets 200 until then, and rejected from then on. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly change: {
    readonly operation: AnyEndpoint;
    readonly params?: Readonly<Record<string, string>>;
    readonly body?: object;
    /** Instead of a body in JSON. */
    readonly form?: Readonly<Record<string, string>>;
    /** The session that makes the change. */
    readonly by: Account;
  };
}

/** Creates a credential through a gateway. */
export type Prepare = (url: string, tools: RevocationTools) => Promise<Revocation>;

const LIST = "/api/v1/networks?limit=1";

/** Every kind of change by name, in the order of the documents; null when its operation is not in the contract. */
export const REVOCATIONS: ReadonlyMap<string, Prepare | null> = new Map([
  kind("disable", "update_user_api_key", async (url) => {
    const { owner, id, ...key } = await aKeyOf(await anAccount(url), url);
    return { ...key, change: { by: owner, params: { id }, body: { ...keyBody(owner), is_enabled: false } } };
  }),
  kind("rotate", "rotate_user_api_key", async (url) => {
    const { owner, id, ...key } = await aKeyOf(await anAccount(url), url);
    return { ...key, change: { by: owner, params: { id } } };
  }),
  kind("finish a rotation", "finish_user_api_key_rotation", async (url) => {
    const { owner, id, ...key } = await aKeyOf(await anAccount(url), url);
    await owner.session.data("post", `/api/v1/auth/keys/${id}/rotate?grace_seconds=3600`);
    return { ...key, change: { by: owner, params: { id } } };
  }),
  kind("allow other addresses", "update_user_api_key", async (url) => {
    const { owner, id, ...key } = await aKeyOf(await anAccount(url), url);
    return { ...key, change: { by: owner, params: { id }, body: { ...keyBody(owner), allowed_ips: ["192.0.2.1"] } } };
  }),
  kind("let a key only import", "update_user_api_key", async (url) => {
    const { owner, id, ...key } = await aKeyOf(await anAccount(url), url);
    return { ...key, change: { by: owner, params: { id }, body: { ...keyBody(owner), scope: "collect" } } };
  }),
  kind("report a leak", "revoke_leaked_api_keys", async (url) => {
    const { owner, headers, path } = await aKeyOf(await anAccount(url), url);
    return { headers, path, change: { by: owner, body: { keys: [headers.authorization.slice("Bearer ".length)] } } };
  }),
  kind("delete a colleague's", "delete_organization_api_key", async (url) => {
    const owner = await anAccount(url);
    const { id, ...key } = await aKeyOf(await aColleague(url, owner, { permissions: "Admin" }), url, "Admin");
    return { headers: key.headers, path: LIST, change: { by: owner, params: { id } } };
  }),
  kind("delete", "delete_user_api_key", async (url) => {
    const { owner, id, ...key } = await aKeyOf(await anAccount(url), url);
    return { ...key, change: { by: owner, params: { id } } };
  }),
  kind("demote", "update_user", async (url) => {
    const owner = await anAccount(url);
    const colleague = await aColleague(url, owner, { permissions: "Admin" });
    const { headers } = await aKeyOf(colleague, url, "Admin");
    const change = { by: owner, params: { id: colleague.userId }, body: { permissions: "Viewer" } };
    return { headers, path: "/api/v1/users?limit=1", change };
  }),
  kind("revoke access to a network", "update_user", async (url) => {
    const owner = await anAccount(url);
    const { id } = await owner.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
    const colleague = await aColleague(url, owner, { permissions: "Member", network_ids: [id] });
    const { headers } = await aKeyOf(colleague, url, "Member");
    const change = { by: owner, params: { id: colleague.userId }, body: { permissions: "Member", network_ids: [] } };
    return { headers, path: `/api/v1/networks/${id}`, change };
  }),
  kind("remove a user", "delete_user", async (url) => {
    const owner = await anAccount(url);
    const colleague = await aColleague(url, owner, { permissions: "Admin" });
    const { headers, path } = await aKeyOf(colleague, url, "Admin");
    return { headers, path, change: { by: owner, params: { id: colleague.userId } } };
  }),
  kind("remove from one of two organizations", "delete_user", async (url) => {
    const owner = await anAccount(url);
    const guest = await aGuest(url, await anAccount(url), owner);
    const { headers, path } = await aKeyOf(guest, url, "Admin");
    return { headers, path, change: { by: owner, params: { id: guest.userId } } };
  }),
  kind("change the organization", "act_in_organization", async (url) => {
    const home = await anAccount(url);
    const guest = await aGuest(url, home, await anAccount(url));
    const change = { by: guest, body: { organization_id: home.organizationId } };
    return { headers: { cookie: guest.cookie }, path: LIST, change };
  }),
  kind("delete the own account", "delete_current_user", async (url) => {
    const colleague = await aColleague(url, await anAccount(url), { permissions: "Admin" });
    const { headers, path } = await aKeyOf(colleague, url, "Admin");
    return { headers, path, change: { by: colleague, body: { password: colleague.password } } };
  }),
  kind("leave", "leave_organization", async (url) => {
    const colleague = await aColleague(url, await anAccount(url), { permissions: "Admin" });
    const { cookie } = await anotherSession(url, colleague);
    return { headers: { cookie }, path: LIST, change: { by: colleague, body: { password: colleague.password } } };
  }),
  kind("delete the organization", "delete_organization", async (url) => {
    const owner = await anAccount(url);
    const { headers, path } = await aKeyOf(await aColleague(url, owner, { permissions: "Admin" }), url, "Admin");
    const { name } = await owner.session.data<{ name: string }>("get", "/api/v1/organizations");
    const body = { name, password: owner.password };
    return { headers, path, change: { by: owner, params: { id: owner.organizationId }, body } };
  }),
  kind("delete the organization, for its sessions", "delete_organization", async (url) => {
    const owner = await anAccount(url);
    const { cookie } = await aColleague(url, owner, { permissions: "Viewer" });
    const { name } = await owner.session.data<{ name: string }>("get", "/api/v1/organizations");
    const body = { name, password: owner.password };
    return { headers: { cookie }, path: LIST, change: { by: owner, params: { id: owner.organizationId }, body } };
  }),
  kind("end a share", "delete_share", async (url) => {
    const { owner, share, ...use } = await aShareOf(await anAccount(url));
    return { ...use, change: { by: owner, params: { id: share } } };
  }),
  kind("delete a shared view", "delete_view", async (url) => {
    const { owner, view, ...use } = await aShareOf(await anAccount(url));
    return { ...use, change: { by: owner, params: { id: view } } };
  }),
  kind("delete a shared network", "delete_network", async (url) => {
    const { owner, network, ...use } = await aShareOf(await anAccount(url));
    return { ...use, change: { by: owner, params: { id: network } } };
  }),
  kind("demote who shared", "update_user", async (url) => {
    const owner = await anAccount(url);
    const colleague = await aColleague(url, owner, { permissions: "Admin" });
    const { headers, path } = await aShareOf(colleague);
    const change = { by: owner, params: { id: colleague.userId }, body: { permissions: "Member" } };
    return { headers, path, change };
  }),
  kind("remove who shared", "delete_user", async (url) => {
    const owner = await anAccount(url);
    const colleague = await aColleague(url, owner, { permissions: "Admin" });
    const { headers, path } = await aShareOf(colleague);
    return { headers, path, change: { by: owner, params: { id: colleague.userId } } };
  }),
  kind("delete the key that shared", "delete_user_api_key", async (url) => {
    const owner = await anAccount(url);
    const { id, caller } = await aKey(url, owner, { permissions: "Owner" });
    const { headers, path } = await aShareOf(owner, caller);
    return { headers, path, change: { by: owner, params: { id } } };
  }),
  kind("report a leaked share", "revoke_leaked_api_keys", async (url) => {
    const { owner, headers, path } = await aShareOf(await anAccount(url));
    return { headers, path, change: { by: owner, body: { keys: [headers.authorization.slice("Bearer ".length)] } } };
  }),
  kind("disable API access", "update_organization", async (url) => {
    const { owner, headers, path } = await aKeyOf(await anAccount(url), url);
    const body = { name: "Closed", api_access_enabled: false };
    return { headers, path, change: { by: owner, params: { id: owner.organizationId }, body } };
  }),
  kind("reduce the maximum age of secrets", "update_organization", async (url, tools) => {
    const { owner, id, headers, path } = await aKeyOf(await anAccount(url), url);
    await tools.age(id, 8);
    const body = { name: "Careful", max_key_lifetime_days: 7 };
    return { headers, path, change: { by: owner, params: { id: owner.organizationId }, body } };
  }),
  kind("require a second factor", "update_organization", async (url) => {
    const { owner, colleague, change } = await anOwnerRequiringSecondFactor(url);
    return { headers: { cookie: colleague.cookie }, path: LIST, change: { ...change, by: owner } };
  }),
  kind("the same, of a key", "update_organization", async (url) => {
    const { owner, colleague, change } = await anOwnerRequiringSecondFactor(url);
    const { headers, path } = await aKeyOf(colleague, url, "Admin");
    return { headers, path, change: { ...change, by: owner } };
  }),
  kind("switch on a second factor", "enable_second_factor", async (url) => {
    const owner = await anAccount(url);
    const { cookie } = await anotherSession(url, owner);
    const { password, session } = owner;
    const { secret } = await session.data<SecondFactorOffer>("post", "/api/auth/second-factor", { password });
    return { headers: { cookie }, path: LIST, change: { by: owner, body: { code: codeOf(secret, 1) } } };
  }),
  kind("reset a second factor", "reset_user_second_factor", async (url) => {
    const owner = await anAccount(url);
    const colleague = await aColleague(url, owner, { permissions: "Admin" });
    await withSecondFactor(colleague);
    const change = { by: owner, params: { id: colleague.userId } };
    return { headers: { cookie: colleague.cookie }, path: LIST, change };
  }),
  kind("log out", "logout", async (url) => {
    const owner = await anAccount(url);
    return { headers: { cookie: owner.cookie }, path: LIST, change: { by: owner } };
  }),
  kind("end a session", "delete_session", async (url) => {
    const owner = await anAccount(url);
    const { cookie, id } = await anotherSession(url, owner);
    return { headers: { cookie }, path: LIST, change: { by: owner, params: { id } } };
  }),
  kind("disable a key of a service account", "update_user_api_key", async (url) => {
    const { owner, key, headers } = await aServiceAccountIn(url);
    const body = { ...key, is_enabled: false };
    return { headers, path: LIST, change: { by: owner, params: { id: String(key["id"]) }, body } };
  }),
  kind("delete a key of a service account", "delete_user_api_key", async (url) => {
    const { owner, key, headers } = await aServiceAccountIn(url);
    return { headers, path: LIST, change: { by: owner, params: { id: String(key["id"]) } } };
  }),
  kind("remove a service account", "delete_user", async (url) => {
    const { owner, id, headers } = await aServiceAccountIn(url);
    return { headers, path: LIST, change: { by: owner, params: { id } } };
  }),
  kind("take a network away from a service account", "update_user", async (url) => {
    const { owner, id, network, headers } = await aServiceAccountIn(url);
    const body = { permissions: "Viewer", network_ids: [] };
    return { headers, path: `/api/v1/networks/${network}`, change: { by: owner, params: { id }, body } };
  }),
  kind("disable a collector", "update_collector", async (url) => {
    const { owner, id, headers, path } = await aCollectorIn(url);
    return { headers, path, change: { by: owner, params: { id }, body: { name: "attic", is_enabled: false } } };
  }),
  kind("delete a collector", "delete_collector", async (url) => {
    const { owner, id, headers, path } = await aCollectorIn(url);
    return { headers, path, change: { by: owner, params: { id } } };
  }),
  kind("enrol a collector elsewhere", "enrol_collector", async (url) => {
    const { owner, id, headers, path } = await aCollectorIn(url);
    const { token } = await owner.session.data<{ token: string }>("post", `/api/v1/collectors/${id}/token`);
    return { headers, path, change: { by: owner, body: { token, ...machine("other") } } };
  }),
  kind("delete the network of a collector", "delete_network", async (url) => {
    const { owner, network, headers, path } = await aCollectorIn(url);
    return { headers, path, change: { by: owner, params: { id: network } } };
  }),
  kind("end the session of a program", "delete_session", async (url) => {
    const owner = await anAccount(url);
    const { cookie, id } = await aProgramOf(url, owner);
    return { headers: { cookie }, path: LIST, change: { by: owner, params: { id } } };
  }),
  kind("end the access of an assistant", "delete_user_api_key", async (url) => {
    const owner = await anAccount(url);
    const { access, key } = await letIn(url, owner);
    return {
      headers: { authorization: `Bearer ${access}` },
      path: LIST,
      change: { by: owner, params: { id: key.id } },
    };
  }),
  kind("demote who let an assistant in", "update_user", async (url) => {
    const owner = await anAccount(url);
    const colleague = await aColleague(url, owner, { permissions: "Admin" });
    const { access } = await letIn(url, colleague, { permissions: "Admin" });
    const change = { by: owner, params: { id: colleague.userId }, body: { permissions: "Viewer" } };
    return { headers: { authorization: `Bearer ${access}` }, path: "/api/v1/users?limit=1", change };
  }),
  kind("revoke the token of an assistant", REVOKE.operationId, async (url) => {
    const owner = await anAccount(url);
    const { access, refresh } = await letIn(url, owner);
    return {
      headers: { authorization: `Bearer ${access}` },
      path: LIST,
      change: { by: owner, form: { token: refresh } },
    };
  }),
  kind("end the other sessions", "revoke_other_sessions", async (url) => {
    const owner = await anAccount(url);
    const { cookie } = await anotherSession(url, owner);
    return { headers: { cookie }, path: LIST, change: { by: owner } };
  }),
  kind("sign out at the provider", "provider_logout", async (url, tools) => {
    const owner = await anAccount(url);
    const { cookie, signOut } = await tools.signIn(url, await aColleague(url, owner, { permissions: "Admin" }));
    const form = { logout_token: await signOut() };
    return { headers: { cookie }, path: LIST, change: { by: owner, params: { provider: PROVIDER }, form } };
  }),
  kind("switch passwords off", "update_organization", async (url, tools) => {
    const owner = await anAccount(url);
    const colleague = await aColleague(url, owner, { permissions: "Admin" });
    const { cookie } = await tools.signIn(url, owner);
    const by = { ...owner, cookie, session: callerOf(url, "owner", { cookie }) };
    const body = { name: "Modern", password_login: false };
    return {
      headers: { cookie: colleague.cookie },
      path: LIST,
      change: { by, params: { id: owner.organizationId }, body },
    };
  }),
  kind("change the password", "change_password", async (url) => {
    const owner = await anAccount(url);
    const { password } = owner;
    const { cookie } = await anotherSession(url, owner);
    const body = { current_password: password, new_password: `${password}, changed` };
    return { headers: { cookie }, path: LIST, change: { by: owner, body } };
  }),
  kind("reset the password", "reset_password", async (url, tools) => {
    const owner = await anAccount(url);
    const body = { token: await tools.createResetLink(owner.userId), new_password: `${owner.password}, changed` };
    return { headers: { cookie: owner.cookie }, path: LIST, change: { by: owner, body } };
  }),
  kind("the same, for keys of an unverified account", "reset_password", async (url, tools) => {
    const { owner, headers, path } = await aKeyOf(await anAccount(url), url);
    const body = { token: await tools.createResetLink(owner.userId), new_password: `${owner.password}, changed` };
    return { headers, path, change: { by: owner, body } };
  }),
]);

/** Those that need a provider controlled by the test. */
export const PROVIDER_REVOCATIONS: readonly string[] = ["sign out at the provider", "switch passwords off"];

/** Those of shares and collectors, which are for a few operations only. */
export const NARROW_REVOCATIONS: readonly string[] = [
  "end a share",
  "delete a shared view",
  "delete a shared network",
  "demote who shared",
  "remove who shared",
  "delete the key that shared",
  "report a leaked share",
  "disable a collector",
  "delete a collector",
  "enrol a collector elsewhere",
  "delete the network of a collector",
];

/** Makes the change through a gateway. @returns the status of the response */
export async function send(url: string, { change }: Revocation): Promise<number> {
  const { operation, params, by } = change;
  const path = requestTarget(operation.path, { params });
  const { text, type } = bodyOf(change);
  const headers = { cookie: by.cookie, ...type };
  return (await fetch(url + path, { method: operation.method.toUpperCase(), headers, body: text })).status;
}

/** The body of a change, and a header for its type. */
export function bodyOf({ body, form }: Revocation["change"]): { text: string | null; type: Record<string, string> } {
  if (form !== undefined)
    return {
      text: new URLSearchParams(form).toString(),
      type: { "content-type": "application/x-www-form-urlencoded" },
    };
  if (body !== undefined) return { text: JSON.stringify(body), type: { "content-type": "application/json" } };
  return { text: null, type: {} };
}

type Prepared = Omit<Revocation, "kind" | "change"> & { change: Omit<Revocation["change"], "operation"> };

function kind(
  name: string,
  operationId: string,
  prepare: (url: string, tools: RevocationTools) => Promise<Prepared>,
): [string, Prepare | null] {
  const operation = [...OPERATIONS, REVOKE].find((one) => one.operationId === operationId);
  if (operation === undefined) return [name, null];
  return [
    name,
    async (url, tools) => {
      const { change, ...rest } = await prepare(url, tools);
      return { kind: name, ...rest, change: { ...change, operation } };
    },
  ];
}

/** An Owner with a second factor who can require it of a colleague without one. */
async function anOwnerRequiringSecondFactor(url: string) {
  const owner = await anAccount(url);
  const colleague = await aColleague(url, owner, { permissions: "Admin" });
  await withSecondFactor(owner);
  const body = { name: "Careful", require_second_factor: true };
  return { owner, colleague, change: { params: { id: owner.organizationId }, body } };
}

/** A share of a view of a new network. */
async function aShareOf(owner: Account, caller = owner.session) {
  const made = <T>(path: string, body: object): Promise<T> => caller.data<T>("post", `/api/v1/${path}`, body);
  const network = await made<{ id: string }>("networks", { name: "Home" });
  const view = await made<{ id: string }>("views", { name: "all", network_id: network.id });
  const { share, secret } = await made<{ share: { id: string }; secret: string }>(`views/${view.id}/shares`, {
    expires_at: null,
  });
  const headers = { authorization: `Bearer ${secret}` };
  return { owner, share: share.id, view: view.id, network: network.id, path: "/api/v1/shared-view", headers };
}

async function aKeyOf(owner: Account, url: string, permissions = "Owner") {
  const { id, secret } = await aKey(url, owner, { permissions });
  return { owner, id, path: LIST, headers: { authorization: `Bearer ${secret}` } };
}

function keyBody({ userId, organizationId }: Account): object {
  return { name: "a key", organization_id: organizationId, user_id: userId, tags: [] };
}

/** A Member for one network, with a key. */
async function aServiceAccountIn(url: string) {
  const owner = await anAccount(url);
  const { id: network } = await owner.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
  const account = { kind: "service", name: "backup", permissions: "Member", network_ids: [network] };
  const { id } = await owner.session.data<{ id: string }>("post", "/api/v1/users", account);
  const body = { name: "backup", user_id: id, organization_id: owner.organizationId, tags: [], permissions: "Member" };
  const made = await owner.session.data<{ api_key: Record<string, unknown>; key: string }>(
    "post",
    "/api/v1/auth/keys",
    body,
  );
  return { owner, id, network, key: made.api_key, headers: { authorization: `Bearer ${made.key}` } };
}

/** A collector that is at work, and asks whether that is still wanted. */
async function aCollectorIn(url: string) {
  const owner = await anAccount(url);
  const { id: network } = await owner.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
  const one = await aCollector(url, owner.session, network);
  const job = await aJob(owner.session, one);
  const headers = { authorization: `Bearer ${one.key}` };
  return { owner, id: one.collector.id, network, headers, path: `/api/v1/collectors/self/jobs/${job.id}` };
}
