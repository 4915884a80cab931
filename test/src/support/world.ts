import { type AnyEndpoint, type KindName, KINDS, KINDS_IN_NETWORKS } from "@nts/shared/contract";
import { type Account, type Caller } from "./api.js";
import { leastOf } from "./members.js";

/** An entity as returned. */
export type Made = Readonly<Record<string, unknown>> & { readonly id: string };

type Singular = (typeof KINDS)[Exclude<KindName, "Tag">]["singular"] | "binding";

/** A network with one entity of each kind. */
export type NetworkWorld = Readonly<Record<Singular, Made>>;

/** Creates a network with a subnet, and a host with an interface, a port and a service that is bound to both. */
export async function aNetworkWithAHost(caller: Caller, name = "Home"): Promise<NetworkWorld> {
  const network = await caller.data<Made>("post", "/api/v1/networks", { name });
  const subnetBody = { network_id: network.id, cidr: "10.0.0.0/24", name: "LAN" };
  const subnet = await caller.data<Made>("post", "/api/v1/subnets", subnetBody);
  const portId = "00000000-0000-4000-8000-000000000001";
  const interfaceId = "00000000-0000-4000-8000-000000000002";
  const host = await caller.data<Made>("post", "/api/v1/hosts", {
    network_id: network.id,
    name: "nas",
    interfaces: [{ id: interfaceId, ip_address: "10.0.0.5", subnet_id: subnet.id }],
    ports: [{ id: portId, number: 443, protocol: "Tcp" }],
    services: [
      {
        name: "web",
        service_definition: "nginx",
        bindings: [{ type: "Port", port_id: portId, interface_id: interfaceId }],
      },
    ],
  });
  const first = (member: string): Made => (host[member] as Made[])[0] as Made;
  const service = first("services");
  const binding = (service["bindings"] as Made[])[0] as Made;
  const dependency = await caller.data<Made>("post", "/api/v1/dependencies", {
    network_id: network.id,
    client: { host_id: host.id, process: "cron" },
    server: { host_id: host.id, service_id: service.id, port_id: first("ports").id },
  });
  const inIt = { network_id: network.id, name: "switch", hidden: true };
  const other = await caller.data<Made>("post", "/api/v1/hosts", inIt);
  const link = await caller.data<Made>("post", "/api/v1/links", {
    network_id: network.id,
    ends: [{ host_id: host.id }, { host_id: other.id, port: "1" }],
  });
  const made: Partial<Record<Singular, Made>> = {
    link,
    network,
    subnet,
    dependency,
    host,
    interface: first("interfaces"),
    port: first("ports"),
    service,
    binding,
  };
  for (const kind of KINDS_IN_NETWORKS) {
    const { singular, plural } = KINDS[kind];
    made[singular] ??= await caller.data<Made>("post", `/api/v1/${plural}`, leastOf(kind, { network_id: network.id }));
  }
  return made as NetworkWorld;
}

/** A webhook of one network, to an unused address. */
export function aWebhook(caller: Caller, { network }: Pick<NetworkWorld, "network">): Promise<Made> {
  const body = { url: "http://127.0.0.1:9/", filter: { network_ids: [network.id] } };
  return caller.data<Made>("post", "/api/v1/webhooks", body);
}

/** The cursor of the first change that the caller may see. */
export async function firstCursor(caller: Caller): Promise<string> {
  const [change] = await caller.data<{ cursor: string }[]>("get", "/api/v1/changes?limit=1&wait=20");
  return change!.cursor;
}

/** The ids of all entities in a world. */
export function idsIn(world: NetworkWorld): string[] {
  return Object.values(world).map(({ id }: Made) => id);
}

/** An unused id. */
export const UNKNOWN = "01938c4a-7d5e-7b21-9f3c-000000000000";

/** A body for creating or changing a key of an account, with an unused id. */
export function keyBody({ organizationId: organization_id, userId: user_id }: Account): Made {
  return { id: UNKNOWN, name: "a key", organization_id, user_id, tags: [] };
}

/** The code of operations whose subject does not exist: an unknown request, a missing second factor. */
export const CODES_WITHOUT_SUBJECT: Readonly<Record<string, string>> = {
  revert_changes: "not_found",
  // Only what many entities are changed by has jobs.
  get_revert_job: "not_found",
  cancel_revert_job: "not_found",
  delete_current_user: "last_owner",
  leave_organization: "last_owner",
  act_in_organization: "invalid_reference",
  accept_invite: "invalid_reference",
  enable_second_factor: "second_factor_invalid",
  confirm_second_factor: "not_found",
  show_device_sign_in: "not_found",
  confirm_device_sign_in: "not_found",
  refuse_device_sign_in: "not_found",
  show_assistant: "not_found",
  let_assistant_in: "not_found",
  renew_recovery_codes: "not_found",
  disable_second_factor: "not_found",
  reset_user_second_factor: "not_found",
  verify_email: "link_expired",
  link_provider: "not_found",
  unlink_provider: "not_found",
};

/** The body of an operation that is not about an entity; null for others. */
export function bodyWithoutEntityOf(
  { operationId, body, path }: AnyEndpoint,
  password: string,
  cursor: string,
): object | null {
  if (operationId === "change_password") return { current_password: password, new_password: password };
  if (operationId === "verify_email") return { token: "no token" };
  if (operationId === "offer_second_factor") return { password };
  // Nothing is deleted with another name.
  if (operationId === "delete_organization") return { name: "another name" };
  if (operationId === "revert_changes") return { request_id: "nothing" };
  if (operationId === "act_in_organization") return { organization_id: "00000000-0000-4000-8000-000000000003" };
  if (operationId === "accept_invite") return { token: "no invite" };
  if (operationId === "create_user") return { kind: "service", name: "backup", permissions: "Viewer" };
  if (operationId === "update_notifications") return { events: [] };
  if (operationId === "show_assistant") return { client_id: "nobody" };
  if (operationId === "let_assistant_in")
    return { request: { client_id: "nobody" }, permissions: "Viewer", network_ids: null };
  if (operationId.endsWith("_device_sign_in")) return { user_code: "no code" };
  if (operationId === "replay_webhook") return { after: cursor };
  if (operationId === "share_view") return { expires_at: null };
  return body !== undefined && path.includes("second-factor") ? { code: "no code" } : null;
}

/** The member of a world for each kind of resource. */
export const SINGULAR: Readonly<Record<string, keyof NetworkWorld>> = {
  ...Object.fromEntries(
    (["Network", ...KINDS_IN_NETWORKS] as const).map((name) => [KINDS[name].plural, KINDS[name].singular]),
  ),
  bindings: "binding",
};

/** The content type of an upload. */
export function headersOf({ upload }: AnyEndpoint): Record<string, string> {
  return upload === undefined ? {} : { "content-type": upload.contentTypes[0] };
}
