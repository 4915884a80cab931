import {
  type Attachment,
  type Attributes,
  type Dependency,
  getHost,
  getHostAttachment,
  getStats,
  getSubnet,
  getSubnetUtilization,
  type Host,
  isId,
  type Link,
  type LinkEnd,
  listDependencies,
  listHosts,
  listLinks,
  listNetworks,
  listServices,
  listSubnets,
  type Port,
  type Subnet,
  whoami,
} from "@nts/shared/contract";
import type { Client } from "@nts/shared/client";
import { folded } from "@nts/shared/contract/folding.rules";
import { z } from "zod";
import { type Following, nothingFound, pageOf, short } from "../results.rules.js";
import { tool } from "../tool.js";
import {
  Amount,
  amountOf,
  count,
  from,
  hostLine,
  HostLine,
  inNetwork,
  isCalled,
  isOneOf,
  network,
  PAGE,
  portText,
  searched,
  text,
  textOrNull,
} from "./parts.js";

type Row = Record<string, unknown>;

/** Links, and dependencies, of a host that are described. */
const MOST_NEIGHBOURS = 50;
/** Links of a switch that are looked at for those at a port. */
const MOST_AT_SWITCH = 1_000;
/** Unmanaged switches behind a port that are looked at. */
const MOST_BEHIND = 5;
const MOST_ATTACHMENTS = 5;

const SubnetLine = z.object({ id: text, name: text, cidr: text, network_id: text });

function subnetLine({ id, name, cidr, network_id }: Subnet) {
  return { id, name: short(name, 60), cidr, network_id };
}

/** The listening sockets of a host. */
function listeners({ interfaces, ports, services }: Host, matches: (port: Port) => boolean) {
  const addresses = new Map(interfaces.map(({ id, ip_address }) => [id, ip_address]));
  return ports.filter(matches).map((port) => ({
    ...{ port: portText(port), id: port.id },
    services: services.flatMap(({ name, service_definition, bindings }) =>
      bindings
        .filter((binding) => binding.type === "Port" && binding.port_id === port.id)
        .map(({ interface_id: at }) => ({
          ...{ name: short(name, 60), is: short(service_definition, 60) },
          at: at === null ? "all addresses" : (addresses.get(at) ?? at),
        })),
    ),
  }));
}

const ServiceLine = z.object({ id: text, name: text, is: text, host_id: text, network_id: text });
const found = <Line extends z.ZodType>(line: Line) => z.object({ total: count, items: z.array(line) });

export const find = tool({
  name: "find",
  title: "Find hosts, services and subnets",
  description:
    "Hosts, services and subnets by a part of their name, host name, address or CIDR, or by a port such as `:443`. The ids are for the " +
    "other tools. `strangers` has the hosts that nobody knows yet.",
  input: z.object({
    text: z.string().max(100).optional(),
    strangers: z.boolean().default(false).describe("Only hosts that scans found and nobody has said to know."),
    network_id: network,
    from,
  }),
  output: z.object({ hosts: found(HostLine), services: found(ServiceLine), subnets: found(SubnetLine) }),
  run: async (client, { text: part, strangers, network_id, from: offset }) => {
    const q = part === undefined || part.trim() === "" ? {} : { q: part };
    const query = { ...q, limit: PAGE, offset, ...inNetwork(network_id) };
    const none = { data: [], pagination: { total_count: 0, has_more: false } };
    const [hosts, services, subnets] = await Promise.all([
      client.list(listHosts, { query: { ...query, ...(strangers && { is_known: false }) } }),
      strangers ? none : client.list(listServices, { query }),
      strangers ? none : client.list(listSubnets, { query }),
    ]);
    const lists = [hosts, services, subnets];
    const isMore = lists.some(({ pagination }) => pagination.has_more);
    const isNothing = lists.every(({ pagination }) => pagination.total_count === 0);
    const advice = strangers
      ? "Every host is known to somebody."
      : "Try a shorter part of the name, an address, a CIDR, `:443` for a port, or all networks.";
    return {
      data: {
        hosts: { total: hosts.pagination.total_count, items: hosts.data.map(hostLine) },
        services: {
          total: services.pagination.total_count,
          items: services.data.map(({ id, name, service_definition: is, host_id, network_id: where }) => ({
            ...{ id, name: short(name, 60), is: short(is, 60), host_id, network_id: where },
          })),
        },
        subnets: { total: subnets.pagination.total_count, items: subnets.data.map(subnetLine) },
      },
      next: isMore
        ? `call find with the same arguments and from=${offset + PAGE}`
        : isNothing
          ? nothingFound(advice)
          : null,
    };
  },
});

const Described = z.looseObject({
  ...{ id: text, name: text, hostname: textOrNull, network_id: text, description: textOrNull, is_known: z.boolean() },
  counts: z.record(z.string(), count),
  parts: z.array(z.looseObject({})).describe("Addresses, ports, services, links and dependencies."),
});

export const describeHost = tool({
  name: "describe_host",
  title: "Describe a host",
  description:
    "Everything about one host: addresses, open ports with their ids and certificates, services with their versions and where they " +
    "listen, on which switch and port it hangs (`hangs_on`), to what it is linked, what it needs and what needs it, tags, when it was " +
    "last seen. With `port`, what hangs on that port of a switch.",
  input: z.object({
    host: z.string().min(1).max(253).describe("Its id, name, host name or address."),
    port: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("Of a switch, such as `Gi1/0/24` or `24`: only what is linked there, also behind an unmanaged switch."),
    from,
  }),
  output: z.object({ host: Described.optional(), several: z.array(HostLine).optional() }),
  run: async (client, { host: given, port, from: offset }) => {
    const hosts = isId(given) ? [await client.call(getHost, { params: { id: given } })] : await called(client, given);
    const [host] = hosts;
    if (host === undefined) return { data: {}, next: nothingFound("Call find with a part of the name or address.") };
    if (hosts.length > 1)
      return {
        data: { several: hosts.slice(0, PAGE).map(hostLine) },
        next: "call describe_host with one of these ids",
      };
    const described = port === undefined ? await wholeOf(client, host) : await portOf(client, host, port);
    const { parts, counts, facts, advice = null } = described;
    const page = pageOf(parts.slice(offset), offset);
    const at = port === undefined ? "" : `, port=${port}`;
    return {
      data: { host: { ...factsOf(host), ...facts, counts, parts: page.items } },
      next: page.next === null ? advice : `call describe_host with host=${host.id}${at} and from=${page.next}`,
    };
  },
});

interface DescribedParts {
  readonly parts: readonly Row[];
  readonly counts: Readonly<Record<string, number>>;
  readonly facts?: Row;
  readonly advice?: Following;
}

async function wholeOf(client: Client, host: Host): Promise<DescribedParts> {
  const [neighbours, { attachments }] = await Promise.all([
    neighboursOf(client, host),
    client.call(getHostAttachment, { params: { id: host.id } }),
  ]);
  return {
    parts: [...partsOf(host), ...neighbours.links, ...neighbours.dependencies],
    counts: { ...countsOf(host), ...neighbours.counts },
    facts: { hangs_on: attachments.slice(0, MOST_ATTACHMENTS).map(attachmentLine) },
  };
}

function attachmentLine({ switch: { host_id, name, port }, path }: Attachment): Row {
  const through = path.slice(0, -1).map((step) => short(step.name, 60));
  return { switch: short(name, 60), host_id, port, ...(through.length > 0 && { through }) };
}

/** What hangs on a port. */
async function portOf(client: Client, host: Host, port: string): Promise<DescribedParts> {
  const at = await client.list(listLinks, { query: { host_id: host.id, limit: MOST_AT_SWITCH } });
  const places = at.data.flatMap(({ ends }) =>
    ends.flatMap((end) => (end.host_id === host.id ? (end.port ?? []) : [])),
  );
  const named = portNamed(places, port);
  const isThere = ({ host_id, port: its }: LinkEnd): boolean => host_id === host.id && its !== null && its === named;
  const links = at.data.filter(({ ends }) => ends.some(isThere));
  const hosts = await hostsAt(client, host, links);
  const behind = [...hosts.values()].filter((one) => one.id !== host.id && one.attributes["unmanaged"] === true);
  const parts = links.map((link) => linkPart(link, host, hosts));
  for (const one of behind.slice(0, MOST_BEHIND)) {
    const { data } = await client.list(listLinks, { query: { host_id: one.id, limit: MOST_NEIGHBOURS } });
    const others = data.filter(({ ends }) => !ends.some(({ host_id }) => host_id === host.id));
    const known = await hostsAt(client, one, others);
    parts.push(...others.map((link) => ({ ...linkPart(link, one, known), behind: short(one.name, 60) })));
  }
  const known = [...new Set(places)].slice(0, 20).map((one) => short(one, 30));
  const advice = `No link of ${short(host.name, 60)} is at port ${short(port, 60)}. Ports with links: ${known.join(", ")}.`;
  return { parts, counts: { links: parts.length }, ...(parts.length === 0 && { advice: nothingFound(advice) }) };
}

/** The port that is meant: by its name, else by its numbers, else by the last of these, if only one has it. */
function portNamed(names: readonly string[], given: string): string | null {
  const numbersOf = (name: string): string => folded(name).replace(/^[^0-9]*/, "");
  const lastOf = (name: string): string => numbersOf(name).split("/").at(-1) ?? "";
  for (const part of [folded, numbersOf, lastOf]) {
    const wanted = part(given.trim());
    const [only, another] = new Set(wanted === "" ? [] : names.filter((name) => part(name) === wanted));
    if (only !== undefined) return another === undefined ? only : null;
  }
  return null;
}

function factsOf(host: Host) {
  const { id, name, hostname, network_id, description, virtualization, tags, role, attributes, observed } = host;
  return {
    ...{ id, name: short(name, 100), hostname: short(hostname, 253), network_id },
    ...{ description: short(description, 300), virtualization: virtualization?.type ?? null },
    ...{
      is_known: host.is_known,
      role: role ?? observed?.role?.value ?? null,
      attributes: shortAttributes(attributes),
    },
    ...{ os: short(observed?.os?.name ?? null, 100), vendor: short(observed?.vendor?.value ?? null, 80) },
    ...{ tags: tags.slice(0, 10), seen: host.seen?.last_at ?? null, missed_since: host.missed_since ?? null },
  };
}

function countsOf({ interfaces, ports, services }: Host) {
  return { interfaces: interfaces.length, ports: ports.length, services: services.length };
}

function partsOf(host: Host): Row[] {
  const ports = new Map(host.ports.map((port) => [port.id, port.observed]));
  return [
    ...host.interfaces.map(({ ip_address, mac_address, id }) => ({ interface: ip_address, mac_address, id })),
    ...listeners(host, () => true).map((one) => ({ ...one, ...observedOf(ports.get(one.id) ?? null) })),
    ...host.services.map(({ name, service_definition, observed, id }) => ({
      ...{ service: short(name, 60), definition: short(service_definition, 60), id },
      ...(observed !== null && { is: short([observed.product?.value, observed.version?.value].join(" ").trim(), 80) }),
    })),
  ];
}

/** What scans have read from a port. */
function observedOf(observed: Port["observed"]): object {
  if (observed === null) return {};
  const { certificate, title } = observed;
  return {
    ...(title !== null && { title: short(title.value, 60) }),
    ...(certificate !== null && {
      certificate: {
        ...{ subject: short(certificate.subject, 100), issuer: short(certificate.issuer, 100) },
        ends: certificate.not_after,
      },
    }),
  };
}

/** Links and dependencies of a host, with the names of the other hosts. */
async function neighboursOf(client: Client, host: Host) {
  const query = { host_id: host.id, limit: MOST_NEIGHBOURS };
  const [links, dependencies] = await Promise.all([
    client.list(listLinks, { query }),
    client.list(listDependencies, { query }),
  ]);
  const hosts = await hostsAt(client, host, links.data, dependencies.data);
  return {
    counts: { links: links.pagination.total_count, dependencies: dependencies.pagination.total_count },
    links: links.data.map((link) => linkPart(link, host, hosts)),
    dependencies: dependencies.data.map((one) => dependencyPart(one, host, hosts)),
  };
}

type Hosts = ReadonlyMap<string, Host>;

/** Those at the ends of links and dependencies. */
async function hostsAt(
  client: Client,
  host: Host,
  links: readonly Link[],
  dependencies: readonly Dependency[] = [],
): Promise<Hosts> {
  const ids = [
    ...links.flatMap(({ ends }) => ends.map(({ host_id }) => host_id)),
    ...dependencies.flatMap((one) => [one.client.host_id, one.server.host_id]),
  ];
  const others = [...new Set(ids)].filter((id) => id !== host.id).slice(0, 2 * MOST_NEIGHBOURS);
  if (others.length === 0) return new Map([[host.id, host]]);
  const { data } = await client.list(listHosts, { query: { ids: others, limit: others.length } });
  return new Map([host, ...data].map((one) => [one.id, one]));
}

function linkPart({ id, kind, ends, speed_mbps }: Link, host: Host, hosts: Hosts): Row {
  const own = ends.find(({ host_id }) => host_id === host.id);
  const other = ends.find(({ host_id }) => host_id !== host.id);
  return {
    ...{ link: kind, id, at: own === undefined ? null : placeOf(own, hosts) },
    ...(other !== undefined && {
      to: { host: nameIn(hosts, other.host_id), host_id: other.host_id, at: placeOf(other, hosts) },
    }),
    ...(speed_mbps !== null && { speed_mbps }),
  };
}

/** The port or address at which a link ends. */
function placeOf({ port, interface_id, host_id }: LinkEnd, hosts: Hosts): string | null {
  const its = hosts.get(host_id)?.interfaces.find(({ id }) => id === interface_id);
  return port ?? its?.ip_address ?? null;
}

function dependencyPart({ id, client, server, note }: Dependency, host: Host, hosts: Hosts): Row {
  const needs = client.host_id === host.id;
  const end = needs ? server : client;
  const service = hosts.get(end.host_id)?.services.find((one) => one.id === end.service_id);
  const what = service?.name ?? ("process" in end ? end.process : null);
  return {
    [needs ? "needs" : "needed_by"]: nameIn(hosts, end.host_id),
    ...{ host_id: end.host_id, id, ...(what !== null && { what: short(what, 60) }) },
    ...(note !== null && { note: short(note, 80) }),
  };
}

function nameIn(hosts: Hosts, id: string): string {
  return short(hosts.get(id)?.name ?? id, 60);
}

/** The first attributes, with short values. */
function shortAttributes(attributes: Attributes): object {
  const first = Object.entries(attributes).slice(0, 20);
  return Object.fromEntries(first.map(([key, value]) => [key, typeof value === "string" ? short(value, 80) : value]));
}

/** Hosts with this name or address. */
async function called(client: Client, given: string): Promise<Host[]> {
  const { data } = await client.list(listHosts, { query: { q: searched(given), limit: 50 } });
  return data.filter((host) => isCalled(host, given));
}

export const describeSubnet = tool({
  name: "describe_subnet",
  title: "Describe a subnet",
  description: "One subnet: how many of its addresses are used, reserved and free, and the next free one.",
  input: z.object({
    subnet: z.string().min(1).max(100).describe("Its id, name or CIDR."),
    network_id: network,
  }),
  output: z.object({
    subnet: z
      .looseObject({ ...SubnetLine.shape, size: Amount, used: Amount, free: Amount, next_free: textOrNull })
      .optional(),
    several: z.array(SubnetLine).optional(),
  }),
  run: async (client, { subnet: given, network_id }) => {
    const subnets = isId(given)
      ? [await client.call(getSubnet, { params: { id: given } })]
      : await subnetsCalled(client, given, network_id);
    const [subnet] = subnets;
    if (subnet === undefined)
      return {
        data: {},
        next: nothingFound("Call find with a part of the name or CIDR, or overview for the subnets."),
      };
    if (subnets.length > 1)
      return {
        data: { several: subnets.slice(0, PAGE).map(subnetLine) },
        next: "call describe_subnet with one of these ids",
      };
    const { size, used, reserved, free, next } = await client.call(getSubnetUtilization, { params: { id: subnet.id } });
    return {
      data: {
        subnet: {
          ...{ ...subnetLine(subnet), description: short(subnet.description, 300), vlan_id: subnet.vlan_id },
          ...{ size: amountOf(size), used: amountOf(used), reserved: amountOf(reserved), free: amountOf(free) },
          ...{ next_free: next, reserved_ranges: subnet.reserved.slice(0, 20) },
        },
      },
      next: {
        sentence:
          "To use the next free address, plan an interface, or a host with one, whose ip_address is `next` and subnet_id this id.",
      },
    };
  },
});

/** Subnets with this name or CIDR. */
async function subnetsCalled(client: Client, given: string, network_id: string | undefined): Promise<Subnet[]> {
  const query = { q: given.trim(), limit: 50, ...inNetwork(network_id) };
  const { data } = await client.list(listSubnets, { query });
  return data.filter(({ name, cidr }) => isOneOf([name, cidr], given));
}

const Listening = HostLine.extend({
  listens: z.array(z.object({ port: text, id: text, services: z.array(z.object({ name: text, is: text, at: text })) })),
});

export const whatListens = tool({
  name: "what_listens",
  title: "What listens on a port",
  description: "Hosts where a port is open, with the services on it and their addresses.",
  input: z.object({
    port: z.int().min(1).max(65_535),
    protocol: z.enum(["Tcp", "Udp"]).default("Tcp"),
    network_id: network,
    from,
  }),
  output: z.object({ total: count, hosts: z.array(Listening) }),
  run: async (client, { port, protocol, network_id, from: offset }) => {
    const q = portText({ number: port, protocol });
    const query = { q, limit: PAGE, offset, ...inNetwork(network_id) };
    const { data, pagination } = await client.list(listHosts, { query });
    const rows = data.map((host) => ({
      ...hostLine(host),
      listens: listeners(host, (one) => one.number === port && one.protocol === protocol).map((one) => ({
        ...one,
        services: one.services.slice(0, 3),
      })),
    }));
    const { items, next } = pageOf(rows, offset);
    const place = next ?? (pagination.has_more ? offset + PAGE : null);
    const nothing = rows.length === 0 ? nothingFound("Try the other protocol, or all networks.") : null;
    return {
      data: { total: pagination.total_count, hosts: items },
      next: place === null ? nothing : `call what_listens with the same arguments and from=${place}`,
    };
  },
});

export const whoIs = tool({
  name: "who_is",
  title: "Who has an address",
  description: "Which host has an IP or MAC address, or a host name.",
  input: z.object({ address: z.string().min(1).max(253), network_id: network }),
  output: z.object({ address: text, hosts: z.array(HostLine) }),
  run: async (client, { address, network_id }) => {
    const query = { q: searched(address), limit: 50, ...inNetwork(network_id) };
    const { data } = await client.list(listHosts, { query });
    const hosts = data
      .filter((host) => isCalled(host, address))
      .slice(0, PAGE)
      .map(hostLine);
    return {
      data: { address, hosts },
      next:
        hosts.length === 0
          ? nothingFound("No host has it. Call `find` with a part of it.")
          : "call describe_host with an id",
    };
  },
});

export const overview = tool({
  name: "overview",
  title: "Overview",
  description: "The user you act for, its permissions, the networks, and counts of everything. A good first call.",
  input: z.object({ network_id: network }),
  output: z.object({
    you: z.object({ level: text, organization: text, networks: count }),
    totals: z.record(z.string(), count),
    networks: z.array(z.object({ id: text, name: text })),
    categories: z.array(z.object({ category: text, services: count })),
    ports: z.array(z.object({ number: count, protocol: text, hosts: count })),
    fullest_subnets: z.array(z.object({ id: text, name: text, cidr: text, size: Amount, used: count })),
  }),
  run: async (client, { network_id }) => {
    const query = inNetwork(network_id);
    const [me, stats, networks] = await Promise.all([
      client.call(whoami, {}),
      client.call(getStats, { query }),
      client.list(listNetworks, { query: { limit: 15 } }),
    ]);
    const { totals, categories, ports, subnets } = stats;
    return {
      data: {
        you: { level: me.permissions, organization: me.organization.name, networks: me.network_ids.length },
        totals,
        networks: networks.data.map(({ id, name }) => ({ id, name })),
        categories: categories.slice(0, 15),
        ports: ports.slice(0, 10),
        fullest_subnets: subnets
          .slice(0, 5)
          .map(({ id, name, cidr, size, used }) => ({ id, name, cidr, size: amountOf(size), used })),
      },
      next: networks.pagination.has_more ? "call find, or overview with a network_id" : null,
    };
  },
});
