import { operationOf } from "@nts/shared/client";
import { pagesOf } from "@nts/client/pages";
import { isId } from "@nts/shared/contract";
import { folded } from "@nts/shared/contract/folding.rules";
import { canonicalAddress, socketIn } from "@nts/shared/contract/sockets.rules";
import type { Connection } from "./connection.js";
import { nearest } from "./nearest.js";
import { nameOf } from "./output.js";
import { referredBy, type Resource, resourceNamed } from "./resources.js";
import { EXIT, Problem } from "./terminal.js";

// Resolves names to the ids that the API requires.

export type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

/** All rows of a list, page by page. */
export async function* entitiesOf(
  { transport }: Pick<Connection, "transport">,
  { list }: Pick<Resource, "list">,
  query: Readonly<Record<string, unknown>> = {},
): AsyncGenerator<Entity, void, void> {
  for await (const rows of pagesOf<Entity>(transport, operationOf(list), { query: { limit: 1_000, ...query } }))
    yield* rows;
}

/** Members by which an entity may be named. */
const NAMES = ["name", "hostname", "cidr", "ip_address", "email", "url"];

/** Maximum characters of a search. */
const MOST_SEARCHED = 100;

/** The query by which the server preselects candidates; empty if the list has no search. */
export function searchFor({ list }: Pick<Resource, "list">, text: string): { readonly q?: string } {
  const isSearchable = "q" in (list.query?.shape ?? {}) && text.trim() !== "" && socketIn(text) === null;
  return isSearchable ? { q: text.slice(0, MOST_SEARCHED) } : {};
}

/**
 * The id for a name; ids are accepted. What is called exactly that comes before what has it as another name, such as a
 * host name, and both before what differs in case. @throws Problem if there is no match, or several
 */
export async function idOf(
  connection: Pick<Connection, "transport">,
  resource: Resource,
  text: string,
  query: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  if (isId(text.toLowerCase())) return text;
  const found = await calledBy(connection, resource, text, query);
  const [first, ...others] = found;
  if (first === undefined) {
    const onHost = await idOnHost(connection, resource, text, query);
    if (onHost !== null) return onHost;
    throw new Problem(
      EXIT.missing,
      `No ${resource.singular} is called ${text}${await advice(connection, resource, text, query)}`,
    );
  }
  if (others.length === 0) return first.id;
  const listed = await withHostNames(connection, found.slice(0, MOST_LISTED));
  const rest = found.length > MOST_LISTED ? [`  … and ${found.length - MOST_LISTED} more`] : [];
  const labels = listed.map((line) => line.trim().replace(/^\S+ +/, ""));
  const areApart = new Set(labels).size === labels.length;
  const how = !labels.some((label) => label.includes("/"))
    ? "use an id, or --network"
    : areApart
      ? "say which, such as HOST/NAME, or use an id"
      : "use an id";
  throw new Problem(
    EXIT.usage,
    [`Several ${resource.name} are called ${text}; ${how}:`, ...listed, ...rest].join("\n"),
  );
}

const MOST_LISTED = 20;
const MOST_COMPARED = 1_000;

/** Those that the text names best: by their own name, by another one, or ignoring case. */
async function calledBy(
  connection: Pick<Connection, "transport">,
  resource: Resource,
  text: string,
  query: Readonly<Record<string, unknown>>,
): Promise<Entity[]> {
  const searched = { ...searchFor(resource, text), ...query };
  const names = [text, text.replace(/^[^/]+/, canonicalAddress)];
  const found: Entity[] = [];
  for await (const entity of entitiesOf(connection, resource, searched))
    if (isCalled(entity, names)) found.push(entity);
  const tiers = [
    found.filter((entity) => names.includes(nameOf(entity))),
    found.filter((entity) => namesOf(entity).some((name) => names.includes(name))),
  ];
  return tiers.find((tier) => tier.length > 0) ?? found;
}

/** What is on a host may be named with it, as in `nas/Photos`; null if it is not. @throws Problem if it does not exist */
async function idOnHost(
  connection: Pick<Connection, "transport">,
  resource: Resource,
  text: string,
  query: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  const [, host = "", name = ""] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  const isOnHosts = "host_id" in (resource.list.query?.shape ?? {}) && query["host_id"] === undefined;
  if (name === "" || !isOnHosts || resource.name === "hosts" || socketIn(text) !== null) return null;
  const hosts = resourceNamed("hosts");
  const host_id = await idOf(connection, hosts, host, withinOf(hosts, query));
  return idOf(connection, resource, name, { ...query, host_id });
}

/** What was probably meant, among the first entities of the list. */
async function advice(
  connection: Pick<Connection, "transport">,
  resource: Resource,
  text: string,
  query: Readonly<Record<string, unknown>>,
): Promise<string> {
  const names: string[] = [];
  for await (const entity of entitiesOf(connection, resource, query)) {
    names.push(...namesOf(entity));
    if (names.length >= MOST_COMPARED) break;
  }
  const meant = nearest(text, names);
  if (meant !== null) return `; did you mean ${meant}?`;
  const isOfUsers = resource.name === "keys" && query["user_id"] === undefined;
  return isOfUsers ? "; with --user NAME, it is looked for among those of a service account." : ".";
}

/** A line for each, with the host that it is on. */
async function withHostNames(
  connection: Pick<Connection, "transport">,
  entities: readonly Entity[],
): Promise<string[]> {
  const ids = [...new Set(entities.map((entity) => entity["host_id"]))].filter((id) => typeof id === "string");
  const hosts = new Map<unknown, string>();
  if (ids.length > 0)
    for await (const host of entitiesOf(connection, resourceNamed("hosts"), { ids })) hosts.set(host.id, nameOf(host));
  return entities.map((entity) => {
    const host = hosts.get(entity["host_id"]);
    return `  ${entity.id}  ${host === undefined ? "" : `${host}/`}${nameOf(entity)}`;
  });
}

/** Ignoring case. */
function isCalled(entity: Entity, names: readonly string[]): boolean {
  const said = names.map(folded);
  return namesOf(entity).some((name) => said.includes(folded(name)));
}

/** Hosts are also named by address, ports as `443/tcp`, and VLANs by number. */
function namesOf(entity: Entity): string[] {
  const interfaces = (entity["interfaces"] ?? []) as readonly { readonly ip_address: string }[];
  const names = [...NAMES.map((name) => entity[name]), ...interfaces.map(({ ip_address }) => ip_address)];
  const number = entity["vid"];
  return [...names, nameOf(entity), ...(typeof number === "number" ? [String(number)] : [])].filter(
    (name) => typeof name === "string",
  );
}

/** The network of that name, or the only one there is. @throws Problem if that is not one */
export async function onlyNetwork(
  connection: Pick<Connection, "transport">,
  name: string | undefined,
): Promise<string> {
  const networks = resourceNamed("networks");
  if (name !== undefined) return idOf(connection, networks, name);
  const found: string[] = [];
  for await (const { id } of entitiesOf(connection, networks, { limit: 2 })) {
    found.push(id);
    if (found.length > 1) throw new Problem(EXIT.usage, "Several networks: choose one with --network.");
  }
  const [only] = found;
  if (only === undefined)
    throw new Problem(EXIT.missing, "There are no networks yet: nts create network --set name=Home");
  return only;
}

/** Tags as the API has them: ids of those that are managed, and labels. */
export async function tagIds(
  connection: Pick<Connection, "transport">,
  tags: readonly unknown[],
): Promise<readonly unknown[]> {
  const ids = new Map<string, string>();
  if (tags.length > 0)
    for await (const tag of entitiesOf(connection, resourceNamed("tags"))) ids.set(folded(nameOf(tag)), tag.id);
  return tags.map((tag) => (typeof tag === "string" ? (ids.get(folded(tag)) ?? tag) : tag));
}

/** Replaces names in filters by ids: first of the network and the host, in which everything else is looked up. */
export async function withIds(
  connection: Pick<Connection, "transport">,
  members: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const name of new Set(["network_id", "host_id", ...Object.keys(members)])) {
    const value = members[name];
    const resource = referredBy(name);
    if (value === undefined) continue;
    if (resource?.name === "tags") found[name] = await tagIds(connection, [value].flat());
    else if (resource === null || typeof value !== "string") found[name] = value;
    else found[name] = await idOf(connection, resource, value, withinOf(resource, found));
  }
  return found;
}

/** The filters by which a list only has what is in the network and on the host. */
export function withinOf(
  { name, list }: Pick<Resource, "name" | "list">,
  { network_id, host_id }: { readonly network_id?: unknown; readonly host_id?: unknown },
): Record<string, unknown> {
  const shape = list.query?.shape ?? {};
  return {
    ...(typeof network_id === "string" && "network_id" in shape && { network_id }),
    ...(typeof host_id === "string" && "host_id" in shape && name !== "hosts" && { host_id }),
  };
}
