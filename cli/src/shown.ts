import { type Binding, type Host, isId, type Link, listHosts, listNetworks, listServices } from "@nts/shared/contract";
import { socketText } from "@nts/shared/contract/sockets.rules";
import type { Connection } from "./connection.js";
import { entitiesOf, type Entity } from "./find.js";
import { nameOf } from "./output.js";
import { type Resource, resourceNamed } from "./resources.js";

// Adds what people want to see of rows that only have ids: names of hosts, networks and tags, and addresses of services.

type Api = Pick<Connection, "transport">;
type Row = Readonly<Record<string, unknown>>;

/** Beyond this many rows, only ids are shown: each hundred is a request. */
const MOST_NAMED = 5_000;
const IDS_AT_ONCE = 100;

/** Adds names for display. @param isWide also those of networks */
export async function withNames(api: Api, rows: readonly unknown[], isWide = false): Promise<unknown[]> {
  if (rows.length > MOST_NAMED) return [...rows];
  const tagged = await withTags(api, rows as readonly Row[]);
  const placed = isWide ? await withNetworks(api, tagged) : tagged;
  const [first] = placed;
  if (Array.isArray(first?.["ends"])) return withLinkEnds(api, placed);
  if (first !== undefined && "service_id" in first && "interface_id" in first) return withServices(api, placed);
  const areDependencies = typeof first?.["client"] === "object" && typeof first["server"] === "object";
  return areDependencies ? withEndNames(api, placed) : withHosts(api, placed);
}

/** The entities of a list by id. */
export async function byIds(
  api: Api,
  list: Resource["list"],
  all: readonly unknown[],
): Promise<ReadonlyMap<string, Entity>> {
  const ids = [...new Set(all)].filter((id) => typeof id === "string" && id !== "");
  const found = new Map<string, Entity>();
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE)
    for await (const entity of entitiesOf(api, { list }, { ids: ids.slice(from, from + IDS_AT_ONCE) }))
      found.set(entity.id, entity);
  return found;
}

/** Managed tags are ids. */
async function withTags(api: Api, rows: readonly Row[]): Promise<readonly Row[]> {
  const tagsOf = ({ tags }: Row): readonly unknown[] => (Array.isArray(tags) ? tags : []);
  const isManaged = (tag: unknown): boolean => typeof tag === "string" && isId(tag);
  if (!rows.some((row) => tagsOf(row).some(isManaged))) return rows;
  const names = new Map<unknown, string>();
  for await (const tag of entitiesOf(api, resourceNamed("tags"))) names.set(tag.id, nameOf(tag));
  return rows.map((row) => ({ ...row, tags: tagsOf(row).map((tag) => names.get(tag) ?? tag) }));
}

async function withNetworks(api: Api, rows: readonly Row[]): Promise<readonly Row[]> {
  if (!rows.some((row) => typeof row["network_id"] === "string")) return rows;
  const networks = await byIds(
    api,
    listNetworks,
    rows.map((row) => row["network_id"]),
  );
  return rows.map((row) => ({ ...row, network: networks.get(String(row["network_id"]))?.["name"] }));
}

/** Links with the hosts and ports at their ends. */
async function withLinkEnds(api: Api, rows: readonly Row[]): Promise<unknown[]> {
  const links = rows as unknown as readonly Pick<Link, "ends">[];
  const hosts = await byIds(
    api,
    listHosts,
    links.flatMap(({ ends }) => ends.map(({ host_id }) => host_id)),
  );
  const textOf = ({ host_id, port }: Link["ends"][number]): string =>
    [hosts.get(host_id)?.["name"] ?? host_id, port].filter((text) => typeof text === "string").join(" ");
  return links.map((link) => ({ ...link, ends: link.ends.map(textOf).join(" – ") }));
}

interface End {
  readonly host_id: string;
  readonly service_id: string | null;
  readonly process?: string | null;
}

/** Dependencies with the hosts and services at their ends. */
async function withEndNames(api: Api, rows: readonly Row[]): Promise<unknown[]> {
  const dependencies = rows as unknown as readonly Readonly<Record<"client" | "server", End>>[];
  const ends = dependencies.flatMap(({ client, server }) => [client, server]);
  const hosts = await byIds(
    api,
    listHosts,
    ends.map(({ host_id }) => host_id),
  );
  const services = await byIds(
    api,
    listServices,
    ends.map(({ service_id }) => service_id),
  );
  const textOf = ({ host_id, service_id, process = null }: End): string => {
    const part = service_id === null ? process : services.get(service_id)?.["name"];
    return [hosts.get(host_id)?.["name"] ?? host_id, part].filter((text) => typeof text === "string").join("/");
  };
  return dependencies.map((one) => ({ ...one, client: textOf(one.client), server: textOf(one.server) }));
}

/** Bindings with their service, its host, and where it listens. */
async function withServices(api: Api, rows: readonly Row[]): Promise<unknown[]> {
  const services = await byIds(
    api,
    listServices,
    rows.map((row) => row["service_id"]),
  );
  const hostIdOf = ({ service_id }: Row): unknown => services.get(String(service_id))?.["host_id"];
  const hosts = (await byIds(api, listHosts, rows.map(hostIdOf))) as unknown as ReadonlyMap<string, Host>;
  return rows.map((row) => {
    const host = hosts.get(String(hostIdOf(row)));
    const service = services.get(String(row["service_id"]))?.["name"];
    const [address] = host === undefined ? [] : addressesOf([row as unknown as Binding], host);
    return { ...row, service, host: host?.name, address };
  });
}

/** Adds the host's name to each row, and their addresses to services. */
async function withHosts(api: Api, rows: readonly Row[]): Promise<unknown[]> {
  const ids = rows.map((row) => row["host_id"]);
  if (ids.every((id) => typeof id !== "string")) return [...rows];
  const hosts = (await byIds(api, listHosts, ids)) as unknown as ReadonlyMap<string, Host>;
  return rows.map((row) => {
    const host = hosts.get(String(row["host_id"]));
    const bindings = row["bindings"] as readonly Binding[] | undefined;
    return {
      ...row,
      host: host?.name,
      ...(Array.isArray(bindings) && host !== undefined && { address: addressesOf(bindings, host) }),
    };
  });
}

/** Where a service listens, such as `10.0.0.5:443`, or `*:443` if that is on several addresses of its host. */
export function addressesOf(
  bindings: readonly Binding[],
  { interfaces, ports }: Pick<Host, "interfaces" | "ports">,
): string[] {
  const [only, another] = interfaces;
  const all = another === undefined ? only?.ip_address : undefined;
  return bindings.map((binding) => {
    const address = interfaces.find(({ id }) => id === binding.interface_id)?.ip_address ?? all ?? "*";
    if (binding.type === "Interface") return address;
    const port = ports.find(({ id }) => id === binding.port_id);
    if (port === undefined) return address;
    return `${socketText(address, port.number)}${port.protocol === "Udp" ? "/udp" : ""}`;
  });
}
