import { operationOf } from "@nts/shared/client";
import { pagesOf } from "@nts/client/pages";
import { isId, type Link, listHosts, listServices } from "@nts/shared/contract";
import { folded } from "@nts/shared/contract/folding.rules";
import { socketIn } from "@nts/shared/contract/sockets.rules";
import type { Connection } from "./connection.js";
import { nameOf } from "./output.js";
import { type Resource, resourceNamed } from "./resources.js";
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

/** The id for a name, exact or ignoring case; ids are accepted. @throws Problem if there is no match, or several */
export async function idOf(
  connection: Pick<Connection, "transport">,
  resource: Resource,
  text: string,
  query: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  if (isId(text.toLowerCase())) return text;
  const searched = { ...searchFor(resource, text), ...query };
  const found: Entity[] = [];
  for await (const entity of entitiesOf(connection, resource, searched)) if (isCalled(entity, text)) found.push(entity);
  const exact = found.filter((entity) => namesOf(entity).includes(text));
  const [first, second] = exact.length > 0 ? exact : found;
  if (first === undefined) throw new Problem(EXIT.missing, `No ${resource.singular} is called ${text}.`);
  if (second === undefined) return first.id;
  const ids = found.map((entity) => `  ${entity.id}  ${nameOf(entity)}`).join("\n");
  throw new Problem(EXIT.usage, `Several ${resource.name} are called ${text}; use an id:\n${ids}`);
}

/** Ignoring case. */
function isCalled(entity: Entity, text: string): boolean {
  return namesOf(entity).some((name) => folded(name) === folded(text));
}

/** Hosts are also named by address, and ports as `443/tcp`. */
function namesOf(entity: Entity): string[] {
  const interfaces = (entity["interfaces"] ?? []) as readonly { readonly ip_address: string }[];
  const names = [...NAMES.map((name) => entity[name]), ...interfaces.map(({ ip_address }) => ip_address)];
  return [...names, nameOf(entity)].filter((name) => typeof name === "string");
}

/** Replaces names of networks, hosts and subnets by ids; hosts and subnets are looked up in the network. */
export async function withIds(
  connection: Pick<Connection, "transport">,
  members: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const resolved: Record<string, unknown> = { ...members };
  for (const kind of ["network", "host", "subnet"]) {
    const value = members[`${kind}_id`];
    if (typeof value !== "string") continue;
    const { network_id } = resolved;
    const within = kind === "network" || network_id === undefined ? {} : { network_id };
    resolved[`${kind}_id`] = await idOf(connection, resourceNamed(`${kind}s`), value, within);
  }
  return resolved;
}

/** Beyond this many rows, host names are omitted: each hundred is a request. */
const MOST_NAMED = 1_000;
const IDS_AT_ONCE = 100;

/** Adds the names of hosts for display: of the host of each row, or of both ends of a dependency, with their services. */
export async function withNames(
  connection: Pick<Connection, "transport">,
  rows: readonly unknown[],
): Promise<unknown[]> {
  const [first] = rows as readonly (Partial<Record<"client" | "server", End>> | undefined)[];
  if (Array.isArray((rows[0] as { readonly ends?: unknown } | undefined)?.ends) && rows.length <= MOST_NAMED)
    return withLinkEnds(connection, rows);
  const areDependencies = typeof first?.client === "object" && typeof first.server === "object";
  return areDependencies && rows.length <= MOST_NAMED
    ? withEndNames(connection, rows)
    : withHostNames(connection, rows);
}

interface End {
  readonly host_id: string;
  readonly service_id: string | null;
  readonly process?: string | null;
}

/** Links with the hosts and ports at their ends. */
async function withLinkEnds(connection: Pick<Connection, "transport">, rows: readonly unknown[]): Promise<unknown[]> {
  const links = rows as readonly Pick<Link, "ends">[];
  const hosts = await namesOfIds(
    connection,
    listHosts,
    links.flatMap(({ ends }) => ends.map(({ host_id }) => host_id)),
  );
  const textOf = ({ host_id, port }: Link["ends"][number]): string =>
    [hosts.get(host_id) ?? host_id, port].filter((text) => typeof text === "string").join(" ");
  return links.map((link) => ({ ...link, ends: link.ends.map(textOf).join(" – ") }));
}

async function withEndNames(connection: Pick<Connection, "transport">, rows: readonly unknown[]): Promise<unknown[]> {
  const dependencies = rows as readonly Readonly<Record<"client" | "server", End>>[];
  const ends = dependencies.flatMap(({ client, server }) => [client, server]);
  const hosts = await namesOfIds(
    connection,
    listHosts,
    ends.map(({ host_id }) => host_id),
  );
  const services = await namesOfIds(
    connection,
    listServices,
    ends.flatMap(({ service_id }) => service_id ?? []),
  );
  const textOf = ({ host_id, service_id, process = null }: End): string => {
    const part = service_id === null ? process : services.get(service_id);
    return [hosts.get(host_id) ?? host_id, part].filter((text) => typeof text === "string").join("/");
  };
  return dependencies.map((one) => ({ ...one, client: textOf(one.client), server: textOf(one.server) }));
}

/** The names of entities by id. */
async function namesOfIds(
  connection: Pick<Connection, "transport">,
  list: Resource["list"],
  all: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const ids = [...new Set(all)].filter((id) => id !== "");
  const names = new Map<string, unknown>();
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const query = { ids: ids.slice(from, from + IDS_AT_ONCE) };
    for await (const { id, name } of entitiesOf(connection, { list }, query)) names.set(id, name);
  }
  return names;
}

/** Adds the host's name to each row. */
async function withHostNames(connection: Pick<Connection, "transport">, rows: readonly unknown[]): Promise<unknown[]> {
  const hostOf = (row: unknown): string => (row as { readonly host_id?: string }).host_id ?? "";
  const ids = rows.map(hostOf);
  if (rows.length > MOST_NAMED || ids.every((id) => id === "")) return [...rows];
  const names = await namesOfIds(connection, listHosts, ids);
  return rows.map((row) => ({ ...(row as object), host: names.get(hostOf(row)) }));
}
