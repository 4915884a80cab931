/** `ETag`, `If-None-Match` and `If-Match` for every single object of the contract. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { OPERATIONS, type AnyEndpoint } from "@nts/shared/contract";
import { aKey, anAccount, type Account } from "../support/api.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { aNetworkWithAHost, type Made, SINGULAR, UNKNOWN } from "../support/world.js";

let stack: SharedStack;
let account: Account;
let entities: Readonly<Record<string, Made>>;

beforeAll(async () => {
  stack = await sharedStack();
  account = await anAccount(stack.url);
  const { session, organizationId, userId } = account;
  const world = await aNetworkWithAHost(session);
  const { id } = await aKey(stack.url, account);
  entities = {
    ...Object.fromEntries(Object.entries(SINGULAR).map(([plural, member]) => [plural, world[member]])),
    tags: await session.data<Made>("post", "/api/v1/tags", { name: "a tag" }),
    organizations: { id: organizationId, name: "My Organization" },
    "auth/keys": { id, name: "a key", organization_id: organizationId, user_id: userId, tags: [] },
  };
});

const resourceOf = ({ path }: AnyEndpoint): string =>
  /^\/api\/v1\/((?:auth|organizations)\/keys|[\w-]+)/.exec(path)?.[1] ?? "";
const OTHERS = ["tags", "organizations", "auth/keys", "organizations/keys"];
const known = (one: AnyEndpoint): boolean => resourceOf(one) in SINGULAR || OTHERS.includes(resourceOf(one));
const single = OPERATIONS.filter((one) => one.path.endsWith("/{id}") && known(one));
const named = (method: string): (readonly [string, AnyEndpoint])[] =>
  single.filter((one) => one.method === method).map((one) => [one.operationId, one] as const);

function entityFor(operation: AnyEndpoint): Made {
  const entity = entities[resourceOf(operation).replace("organizations/keys", "auth/keys")];
  if (entity === undefined) throw new Error(`no entity for ${operation.path}`);
  return entity;
}

/** What creates an entity, where that is not what reads show. */
const BODIES: Readonly<Record<string, object>> = {
  invites: { permissions: "Viewer" },
  users: { kind: "service", name: "backups", permissions: "Viewer" },
  webhooks: { url: "http://127.0.0.1:9/", filter: {} },
};

const etagOf = (response: { headers: Headers }): string => response.headers.get("etag") ?? "";

/** Changes a member that the entity has. */
function changeOf(entity: Made): object {
  if ("number" in entity) return { number: 8443 };
  if ("ends" in entity) return { speed_mbps: 100 };
  if ("client" in entity) return { note: "changed" };
  return { name: "changed" };
}

describe("revisions of single objects: reading and updating", () => {
  it.each(named("get"))(
    "%s has an ETag, with 304 while it matches, except for keys, whose last use changes",
    async (_id, operation) => {
      const path = operation.path.replace("{id}", entityFor(operation).id);
      const first = await account.session.send("get", path);
      expect([first.status, etagOf(first)]).toEqual([200, expect.stringMatching(/^"[^"]+"$/)]);
      const unchanged = await account.session.send("get", path, undefined, { "if-none-match": etagOf(first) });
      const isVolatile = resourceOf(operation) === "auth/keys";
      expect(unchanged.status).toBe(isVolatile ? 200 : 304);
      if (!isVolatile) expect([unchanged.text, etagOf(unchanged)]).toEqual(["", etagOf(first)]);
      const reads: Readonly<Record<string, string>>[] = [
        { "if-none-match": '"another"' },
        { "if-match": etagOf(first) },
        { "if-match": "*" },
      ];
      for (const headers of reads)
        expect([headers, (await account.session.send("get", path, undefined, headers)).status]).toEqual([headers, 200]);
      const stale = await account.session.send("get", path, undefined, { "if-match": '"another"' });
      expect([stale.status, stale.body.code]).toEqual([412, "precondition_failed"]);
    },
  );

  it.each([...named("put"), ...named("patch")])(
    "%s changes the ETag only when something changes, and rejects an outdated revision",
    async (_id, operation) => {
      const entity = entityFor(operation);
      const path = operation.path.replace("{id}", entity.id);
      const put = (body: unknown, ifMatch?: string) =>
        account.session.send(operation.method, path, body, ifMatch === undefined ? {} : { "if-match": ifMatch });
      const echoed = await put(entity);
      expect(echoed.status).toBe(200);
      const again = await put(echoed.body.data);
      expect([again.status, etagOf(again), again.body.data]).toEqual([200, etagOf(echoed), echoed.body.data]);

      const change = changeOf(entity);
      const changed = await put({ ...entity, ...change }, etagOf(echoed));
      expect([changed.status, etagOf(changed) === etagOf(echoed)]).toEqual([200, false]);
      const times = [echoed, changed].map(({ body }) => (body.data as { updated_at: string }).updated_at);
      expect((times[1] ?? "") > (times[0] ?? "")).toBe(true);

      const stale = await put({ ...entity, ...change, ...("name" in change && { name: "later" }) }, etagOf(echoed));
      expect([stale.status, stale.body.code]).toEqual([412, "precondition_failed"]);
      const any = await put({ ...entity, ...change }, "*");
      expect(any.status).toBe(200);
      for (const known of ["*", etagOf(any)]) {
        const refused = await account.session.send(operation.method, path, entity, { "if-none-match": known });
        expect([refused.status, refused.body.code]).toEqual([412, "precondition_failed"]);
      }
      const next = await account.session.send(operation.method, path, any.body.data, { "if-none-match": '"another"' });
      expect([next.status, etagOf(next)]).toEqual([200, etagOf(any)]);
    },
  );
});

describe("revisions of single objects: deleting, and children of a host", () => {
  it.each(named("delete"))("%s rejects an outdated revision, and deletes nothing", async (_id, operation) => {
    const path = operation.path.replace("{id}", entityFor(operation).id);
    const body = operation.body && entityFor(operation);
    const conditions: Readonly<Record<string, string>>[] = [{ "if-match": '"another"' }, { "if-none-match": "*" }];
    for (const headers of conditions) {
      const refused = await account.session.send("delete", path, body, headers);
      expect([refused.status, refused.body.code]).toEqual([412, "precondition_failed"]);
    }
    // A key deleted by an Owner is read by its user.
    const there = await account.session.send(
      "get",
      path
        .replace("organizations/keys", "auth/keys")
        .replace(`organizations/${account.organizationId}`, "organizations"),
    );
    expect(there.status).toBe(200);
  });

  it("change a host's ETag with every change of its children", async () => {
    const { session } = account;
    const world = await aNetworkWithAHost(session, "another");
    const etag = async (): Promise<string> => etagOf(await session.send("get", `/api/v1/hosts/${world.host.id}`));
    const seen = [await etag()];
    const { service, port, host, network } = world;
    await session.data("put", `/api/v1/services/${service.id}`, { ...service, name: "renamed" });
    seen.push(await etag());
    await session.data("post", "/api/v1/ports", {
      host_id: host.id,
      network_id: network.id,
      number: 1,
      protocol: "Udp",
    });
    seen.push(await etag());
    await session.data("delete", `/api/v1/ports/${port.id}`);
    seen.push(await etag());
    expect(new Set(seen).size).toBe(seen.length);
    await session.data("put", `/api/v1/hosts/${host.id}`, host);
    expect(await etag()).toBe(seen.at(-1));
  });
});

describe("conditions of operations without a current entity", () => {
  const creates = OPERATIONS.filter(({ operationId }) => operationId.startsWith("create_"));
  it.each(creates.map((one) => [one.operationId, one] as const))(
    "%s has no current revision: If-Match fails, and If-None-Match: * does not",
    async (_id, { path }) => {
      const resource = /^\/api\/v1\/(auth\/keys|[\w-]+)/.exec(path)?.[1] ?? "";
      const body = BODIES[resource] ?? entities[resource] ?? { network_id: entities["networks"]?.id, name: "shed" };
      for (const match of ["*", '"1"', ""]) {
        const refused = await account.session.send("post", path, body, { "if-match": match });
        expect([match, refused.status, refused.body.code]).toEqual([match, 412, "precondition_failed"]);
      }
      const { status } = await account.session.send("post", path, body, { "if-none-match": "*" });
      expect(status).not.toBe(412);
    },
  );

  const without = OPERATIONS.filter(({ operationId }) => /^(bulk_delete|revert)_/.test(operationId));
  it.each(without.map((one) => [one.operationId, one] as const))(
    "%s concerns no single entity, and rejects conditions",
    async (operationId, { path }) => {
      const body = operationId.startsWith("bulk") ? [UNKNOWN] : { request_id: "nothing" };
      const response = await account.session.send("post", path, body, { "if-match": "*", "if-none-match": "*" });
      const errors = ["If-Match", "If-None-Match"].map((name) => expect.objectContaining({ path: name }) as unknown);
      expect([response.status, response.body.code, response.body.params]).toEqual([
        400,
        "validation_failed",
        { errors },
      ]);
    },
  );
});
