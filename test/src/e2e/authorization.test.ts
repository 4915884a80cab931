/**
 * The authorization matrix, generated from the contract: every operation by every kind of caller, on an entity of the
 * caller's network, another network, another organization, and a nonexistent one.
 */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { isAtLeast, OPERATIONS, PERMISSIONS, type AnyEndpoint, type Permission } from "@nts/shared/contract";
import {
  aColleague,
  aKey,
  anAccount,
  anotherSession,
  callerOf,
  type Account,
  type ApiResponse,
  type Caller,
} from "../support/api.js";
import { archiveText } from "../support/archives.js";
import { scanFile } from "../support/imports.js";
import { letIn } from "../support/oauth.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import {
  bodyWithoutEntityOf,
  aNetworkWithAHost,
  aWebhook,
  idsIn,
  headersOf,
  keyBody,
  CODES_WITHOUT_SUBJECT,
  SINGULAR,
  firstCursor,
  UNKNOWN,
  type Made,
  type NetworkWorld,
} from "../support/world.js";

/** A caller with its level and networks. */
interface Kind {
  readonly caller: Caller;
  readonly credential: "none" | "key" | "session";
  readonly level: Permission | null;
  readonly networks: readonly ("one" | "two")[];
  /** A key that can only import. */
  readonly isCollecting?: boolean;
}

/** The owner of the requested entity, relative to the callers' organization. */
type Target = "one" | "two" | "foreign" | "unknown";

const TARGETS: readonly Target[] = ["one", "two", "foreign", "unknown"];

let stack: SharedStack;
let own: Account;
let foreign: Account;
let worlds: Record<"one" | "two" | "foreign", NetworkWorld>;
let tags: Record<"own" | "foreign", Made>;
let keys: Record<"own" | "foreign", string>;
let sessions: Record<"own" | "foreign", string>;
let users: Record<"own" | "foreign", Made>;
let invites: Record<"own" | "foreign", Made>;
let shares: Record<"own" | "foreign", Made>;
let webhooks: Record<"one" | "two" | "foreign", Made>;
let collectors: Record<"one" | "two" | "foreign", Made>;
let jobs: Record<"one" | "two" | "foreign", Made>;
let cursor: string;
let kinds: Kind[];

beforeAll(async () => {
  stack = await sharedStack();
  const { url } = stack;
  own = await anAccount(url, "own owner");
  foreign = await anAccount(url, "foreign owner");
  worlds = {
    one: await aNetworkWithAHost(own.session, "one"),
    two: await aNetworkWithAHost(own.session, "two"),
    foreign: await aNetworkWithAHost(foreign.session, "foreign"),
  };
  tags = {
    own: await own.session.data<Made>("post", "/api/v1/tags", { name: "tag" }),
    foreign: await foreign.session.data<Made>("post", "/api/v1/tags", { name: "tag" }),
  };
  keys = { own: (await aKey(url, own)).id, foreign: (await aKey(url, foreign)).id };
  sessions = { own: (await anotherSession(stack.url, own)).id, foreign: (await anotherSession(stack.url, foreign)).id };
  users = {
    own: { id: (await aColleague(url, own)).userId, permissions: "Member" },
    foreign: { id: (await aColleague(url, foreign)).userId, permissions: "Member" },
  };
  const invite = { permissions: "Member", network_ids: [] };
  invites = {
    own: await own.session.data<Made>("post", "/api/v1/invites", invite),
    foreign: await foreign.session.data<Made>("post", "/api/v1/invites", invite),
  };
  shares = { own: await aShare(own, worlds.one), foreign: await aShare(foreign, worlds.foreign) };
  const [one, two] = await Promise.all([aWebhook(own.session, worlds.one), aWebhook(own.session, worlds.two)]);
  webhooks = { one, two, foreign: await aWebhook(foreign.session, worlds.foreign) };
  collectors = {
    one: await aCollector(own.session, worlds.one),
    two: await aCollector(own.session, worlds.two),
    foreign: await aCollector(foreign.session, worlds.foreign),
  };
  jobs = {
    one: await aJob(own.session, worlds.one),
    two: await aJob(own.session, worlds.two),
    foreign: await aJob(foreign.session, worlds.foreign),
  };
  cursor = await firstCursor(own.session);
  const key = async (level: Permission, networks: Kind["networks"], restricted: boolean): Promise<Kind> => {
    const network_ids = networks.map((name) => worlds[name].network.id);
    const { caller } = await aKey(url, own, { permissions: level, ...(restricted && { network_ids }) });
    return { caller, credential: "key", level, networks };
  };
  const collectingKey = async (): Promise<Kind> => {
    const { caller } = await aKey(url, own, { permissions: "Owner", scope: "collect" });
    return { caller, credential: "key", level: "Owner", networks: ["one", "two"] };
  };
  const assistant = async (): Promise<Kind> => {
    const { access } = await letIn(url, own, { permissions: "Member", network_ids: [worlds.one.network.id] });
    const caller = callerOf(url, "an assistant", { authorization: `Bearer ${access}` });
    return { caller, credential: "key", level: "Member", networks: ["one"] };
  };
  kinds = [
    { caller: callerOf(url, "nobody"), credential: "none", level: null, networks: [] },
    { caller: own.session, credential: "session", level: "Owner", networks: ["one", "two"] },
    ...(await Promise.all(PERMISSIONS.map((level) => key(level, ["one", "two"], false)))),
    await key("Owner", ["one"], true),
    await key("Viewer", ["one"], true),
    await key("Owner", [], true),
    { ...(await collectingKey()), isCollecting: true },
    await assistant(),
  ];
});

describe("authorization: every operation of the contract", () => {
  const guarded = OPERATIONS.filter(({ credential }) => credential === "any" || credential === "session");
  it.each(guarded.map((operation) => [operation.operationId, operation] as const))("%s", async (_id, operation) => {
    const wrong: object[] = [];
    for (const kind of kinds) {
      for (const target of operation.path.includes("{id}") ? TARGETS : (["one"] as const)) {
        const expected = expectedOf(operation, kind, target);
        const isHarmless = target === "foreign" || target === "unknown" || REFUSALS.has(expected);
        const { path, body } = await requestOf(operation, target, { isHarmless });
        const response = await kind.caller.send(operation.method, path, body, headersOf(operation));
        const code = response.status === 200 ? 200 : response.body.code;
        if (code !== expected) wrong.push({ caller: kind.caller.name, target, expected, code, text: response.text });
        if (response.status === 200) expectNothingForeign(kind, response);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(
    guarded
      .filter(({ path, method, ofCollector }) => path.includes("{id}") && method !== "post" && ofCollector !== true)
      .map((one) => [one.operationId, one] as const),
  )("%s answers the same bytes for a foreign id as for one that never existed", async (_id, operation) => {
    const { session } = own;
    const responses = await Promise.all(
      (["foreign", "unknown"] as const).map(async (target) => {
        const { path, body } = await requestOf(operation, target, { isHarmless: true, bodyOf: worlds.one });
        const { status, text } = await session.send(operation.method, path, body);
        return { status, text: text.replace(/"request_id":"[^"]*"/, "") };
      }),
    );
    expect(responses[0]).toEqual(responses[1]);
    expect(responses[0]?.status).toBe(404);
  });
});

describe("authorization: operations of the whole organization", () => {
  it("reject API keys that are restricted to networks, whatever their level", async () => {
    const shared = OPERATIONS.filter(
      ({ path, method }) => /^\/api\/v1\/(organizations|users|invites|tags)\b/.test(path) && method !== "get",
    );
    expect(shared.filter(({ wholeOrganization }) => wholeOrganization !== true)).toEqual([]);
    const restricted = kinds.find(({ level, networks }) => level === "Owner" && networks.length === 1);
    for (const operation of shared.filter(({ credential }) => credential === "any")) {
      const { path, body } = await requestOf(operation, "one");
      const { status, body: response } = await restricted!.caller.send(operation.method, path, body);
      const { code, params } = response;
      expect([operation.operationId, status, code, params]).toEqual([
        operation.operationId,
        403,
        "permission_denied",
        { required: "all_networks" },
      ]);
    }
  });
});

describe("authorization: ids in bodies", () => {
  const written = OPERATIONS.filter(
    ({ upstream, body, upload, operationId }) =>
      upstream === "topology" && body && !upload && !operationId.startsWith("bulk"),
  );
  it.each(written.map((one) => [one.operationId, one] as const))(
    "%s rejects a foreign id in any position, with the same words as an unknown one",
    async (_id, operation) => {
      const { path, body } = await requestOf(operation, "one");
      for (const member of Object.keys(body as object).filter((name) => /^(network|host|subnet)_id$/.test(name))) {
        const kind = member.replace("_id", "") as "network" | "host" | "subnet";
        const [theirs, unknown] = await Promise.all(
          [worlds.foreign[kind].id, UNKNOWN].map((id) =>
            own.session.send(operation.method, path, { ...(body as object), [member]: id }),
          ),
        );
        expect(theirs?.status).toBe(400);
        expect({ code: theirs?.body.code, params: theirs?.body.params }).toEqual({
          code: unknown?.body.code,
          params: unknown?.body.params,
        });
      }
      if (!("tags" in (body as object))) return;
      const tagged = await own.session.send(operation.method, path, { ...(body as object), tags: [tags.foreign.id] });
      expect([tagged.status, tagged.body.code, tagged.body.params]).toEqual([
        400,
        "invalid_reference",
        { path: "tags.0" },
      ]);
    },
  );
});

/** The expected code, or 200, derived from the contract. */
function expectedOf(operation: AnyEndpoint, kind: Kind, target: Target): string | 200 {
  const { credential, permission, operationId, path } = operation;
  if (kind.credential === "none") return "not_authenticated";
  if (credential === "session" && kind.credential === "key") return "session_required";
  if (operation.ofCollector === true) return "permission_denied";
  if (kind.isCollecting === true && operation.collects !== true) return "permission_denied";
  if (permission !== null && !isAtLeast(kind.level ?? "Viewer", permission)) return "permission_denied";
  const isWhole = kind.networks.length === 2;
  if ((operation.wholeOrganization === true || operation.outlivesKeys === true) && !isWhole) return "permission_denied";
  if (operationId in CODES_WITHOUT_SUBJECT) return CODES_WITHOUT_SUBJECT[operationId]!;
  // The deleted network is a new one, and therefore out of scope for a restricted key.
  if (operationId.includes("delete_network") && !isWhole) return "not_found";
  if (operationId === "delete_organization" && (target === "one" || target === "two")) return "validation_failed";
  if (belongsToOrganization(path)) return target === "foreign" || target === "unknown" ? notFoundIfById(path) : 200;
  const visible = (target === "one" || target === "two") && kind.networks.includes(target);
  // No machine has enrolled.
  if (visible && operationId === "run_collector") return "collector_not_ready";
  // Of an interface that does not exist, so that the world stays as it is.
  if (visible && operationId === "split_host") return "invalid_reference";
  const ofAll =
    /^(get_(topology|stats)|report_(gone|certificates|duplicates|utilization)|export_inventory|list_(import|revert)_jobs|list_webhook_progress|(list|diff|stream)_changes)$/;
  if (visible || operation.list === true || ofAll.test(operationId)) return 200;
  return path.includes("{id}") || /\/(?:bulk-delete|hosts\/known)$/.test(path) ? "not_found" : "invalid_reference";
}

function belongsToOrganization(path: string): boolean {
  const resources = "auth|organizations|users|invites|tags|shares|service-definitions";
  return new RegExp(`^/api/(auth|v1/(${resources}))`).test(path) || path === "/api/v1/networks";
}

function notFoundIfById(path: string): string | 200 {
  return path.includes("{id}") ? "not_found" : 200;
}

/** Rejections that do not depend on the owner of the entity. */
const REFUSALS = new Set<string | 200>([
  "not_authenticated",
  "session_required",
  "permission_denied",
  "last_owner",
  "validation_failed",
]);

/** A request that succeeds for an Owner. Deletes get an entity of their own, unless the caller may delete nothing. */
async function requestOf(
  operation: AnyEndpoint,
  target: Target,
  { isHarmless = false, bodyOf }: { isHarmless?: boolean; bodyOf?: NetworkWorld } = {},
): Promise<{ path: string; body: unknown }> {
  const resource =
    /^\/api\/v1\/(auth\/(?:keys|sessions)|organizations\/keys|imports\/jobs|[\w-]+)/.exec(operation.path)?.[1] ?? "";
  const isDelete = operation.operationId.includes("delete") || (operation.method === "delete" && resource !== "");
  const entity = isDelete && !isHarmless ? await victim(resource, target) : existing(resource, target);
  const sample = bodyOf === undefined ? entity : resource in SINGULAR ? bodyOf[SINGULAR[resource] as "host"] : entity;
  const ofUpload =
    operation.upload !== undefined && operation.path.includes("/imports/")
      ? `?network_id=${existing("networks", target).id}`
      : "";
  const query = operation.operationId === "diff_changes" ? `?from=${new Date().toISOString()}` : ofUpload;
  const format = operation.upload === undefined ? "hosts" : "auto";
  const path = operation.path.replace("{id}", entity.id).replace("{format}", format) + query;
  const other =
    operation.operationId === "merge_hosts" && !isHarmless ? await victim(resource, target) : { id: UNKNOWN };
  return { path, body: bodyFor(operation, resource, target, sample, other.id) };
}

function existing(resource: string, target: Target): Made {
  const side = target === "foreign" ? "foreign" : "own";
  const organization = target === "foreign" ? foreign : own;
  const unknown = target === "unknown" ? { id: UNKNOWN } : {};
  const kind = SINGULAR[resource];
  if (kind !== undefined) return { ...worlds[target === "unknown" ? "one" : target][kind], ...unknown };
  if (resource === "tags") return { ...tags[side], ...unknown };
  if (resource.endsWith("/keys")) return { ...keyBody(organization), id: keys[side], ...unknown };
  if (resource === "auth/sessions") return { id: sessions[side], ...unknown };
  if (resource === "shares") return { ...shares[side], ...unknown };
  if (resource === "users") return { ...users[side], ...unknown };
  if (resource === "invites") return { ...invites[side], ...unknown };
  if (resource === "webhooks") return { ...webhooks[target === "unknown" ? "one" : target], ...unknown };
  if (resource === "collectors") return { ...collectors[target === "unknown" ? "one" : target], ...unknown };
  if (resource === "imports/jobs") return { ...jobs[target === "unknown" ? "one" : target], ...unknown };
  return { id: organization.organizationId, name: "org", api_access_enabled: true, ...unknown };
}

let victims = 0;

/** An entity created to be deleted, so that other checks keep theirs. */
async function victim(resource: string, target: Target): Promise<Made> {
  if (resource === "users") return { id: (await aColleague(stack.url, own)).userId };
  if (resource === "shares") return aShare(own, worlds.one);
  if (resource === "organizations/keys") return { id: (await aKey(stack.url, own)).id };
  if (resource === "auth/sessions") return { id: (await anotherSession(stack.url, own)).id };
  // Only what many entities are changed by is reverted by a job.
  if (resource === "changes") return { id: UNKNOWN };
  // Cancelling an import that has ended changes nothing.
  if (resource === "imports/jobs") return existing(resource, target);
  const create = OPERATIONS.find(({ path, method }) => method === "post" && path === `/api/v1/${resource}`);
  if (create === undefined) throw new Error(`no operation creates ${resource}`);
  const made = await own.session.data<Made & { api_key?: Made; collector?: Made }>(
    "post",
    create.path,
    bodyFor(create, resource, target, existing(resource, target)),
  );
  return made.api_key ?? made.collector ?? made;
}

/** @param other another entity of the kind */
function bodyFor(operation: AnyEndpoint, resource: string, target: Target, entity: Made, other = UNKNOWN): unknown {
  if (operation.upload !== undefined) return resource === "organizations" ? archiveText([]) : scanFile("ping");
  if (operation.body === undefined || operation.path.endsWith("/bulk-delete")) return operation.body && [entity.id];
  const special = bodyWithoutEntityOf(operation, own.password, cursor);
  if (special !== null) return special;
  if (operation.operationId === "merge_hosts") return { host_id: other };
  if (operation.operationId === "know_hosts") return { ids: [entity.id] };
  if (operation.operationId === "split_host") return { interface_ids: [other], name: "split" };
  const isCreate = operation.operationId.startsWith("create_");
  const n = ++victims;
  if (resource === "auth/keys") return keyBody(target === "foreign" && isCreate ? foreign : own);
  if (resource === "organizations") return operation.method === "post" ? {} : { name: "org", api_access_enabled: true };
  if (!isCreate) return entity;
  const fresh: Record<string, object> = {
    networks: { name: `network ${n}` },
    tags: { name: `tag ${n}` },
    subnets: { cidr: `10.${(n >> 8) & 255}.${n & 255}.0/24` },
    ports: { number: 1000 + n },
    vlans: { vid: 100 + (n % 3_900) },
    links: {
      ends: ((entity["ends"] ?? []) as object[]).map((end) => ({ ...end, interface_id: null, port: `port ${n}` })),
    },
    dependencies: { client: { ...(entity["client"] as object), process: `process ${n}` } },
    interfaces: { ip_address: `10.0.0.${6 + (n % 240)}`, mac_address: null },
  };
  const children = resource === "hosts" ? { interfaces: [], ports: [], services: [] } : {};
  return { ...entity, ...fresh[resource], ...children };
}

/** A share of the view of a network. */
async function aShare({ session }: Account, { view }: NetworkWorld): Promise<Made> {
  const body = { expires_at: null };
  return (await session.data<{ share: Made }>("post", `/api/v1/views/${view.id}/shares`, body)).share;
}

/** A collector that no machine has enrolled as. */
async function aCollector(session: Caller, { network }: NetworkWorld): Promise<Made> {
  const body = { network_id: network.id, name: "attic" };
  return (await session.data<{ collector: Made }>("post", "/api/v1/collectors", body)).collector;
}

/** An import job that has ended. */
async function aJob(session: Caller, { network }: NetworkWorld): Promise<Made> {
  const headers = { "content-type": "application/xml", prefer: "respond-async" };
  const path = `/api/v1/imports/nmap?network_id=${network.id}&dry_run=true`;
  const { status, body } = await session.send("post", path, scanFile("ping"), headers);
  expect(status).toBe(202);
  const job = body.data as Made;
  const ended = await session.data<Made>("get", `/api/v1/imports/jobs/${job.id}?wait=25`);
  expect(ended).toMatchObject({ state: "done" });
  return job;
}

/** The response contains nothing of another organization, or of a network out of scope. */
function expectNothingForeign(kind: Kind, { text }: ApiResponse): void {
  const people = [
    foreign.userId,
    users.foreign.id,
    invites.foreign.id,
    shares.foreign.id,
    keys.foreign,
    webhooks.foreign.id,
    collectors.foreign.id,
  ];
  const hidden = [foreign.organizationId, tags.foreign.id, ...people, ...idsIn(worlds.foreign)];
  const beyond = (["one", "two"] as const).filter((name) => kind.level !== null && !kind.networks.includes(name));
  const seen = [...hidden, ...beyond.flatMap((name) => idsIn(worlds[name]))].filter((id) => text.includes(id));
  expect({ caller: kind.caller.name, seen }).toEqual({ caller: kind.caller.name, seen: [] });
}
