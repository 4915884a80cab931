import {
  type Attributes,
  CHANGE_ACTIONS,
  ChangedEntity,
  type Collector,
  type CollectorJob,
  DEEPEST_IMPACT,
  getHost,
  getHostImpact,
  getServiceImpact,
  getStats,
  type Host,
  IMPACT_DIRECTIONS,
  isId,
  listChanges,
  listCollectorJobs,
  listCollectors,
  listHosts,
  listNetworks,
  listServices,
  reportCertificates,
  reportGone,
  whoami,
} from "@nts/shared/contract";
import { folded } from "@nts/shared/contract/folding.rules";
import type { Client } from "@nts/shared/client";
import { z } from "zod";
import { fitting, pageOf, short } from "../results.rules.js";
import { tool, type ToolResult } from "../tool.js";

const PAGE = 8;

const from = z.int().min(0).max(1_000_000).default(0).describe("Where to continue, as given in the previous result.");
const network = z.string().max(36).optional().describe("Only in this network, by its id.");
const inNetwork = (network_id: string | undefined) => (network_id === undefined ? {} : { network_id });

/** The summary of a host in a list. */
function hostLine({ id, name, hostname, network_id, interfaces, services, missed_since, is_known }: Host) {
  return {
    ...{ id, name: short(name, 60), hostname: short(hostname, 80), network_id },
    addresses: interfaces.slice(0, 3).map(({ ip_address }) => ip_address),
    services: services.length,
    ...(typeof missed_since === "string" && { missed_since }),
    ...(!is_known && { is_known }),
  };
}

/** The listening sockets of a host. */
function listeners({ interfaces, ports, services }: Host, matches: (number: number, protocol: string) => boolean) {
  const addresses = new Map(interfaces.map(({ id, ip_address }) => [id, ip_address]));
  return ports
    .filter(({ number, protocol }) => matches(number, protocol))
    .map(({ id, number, protocol }) => ({
      port: `${number}/${protocol.toLowerCase()}`,
      services: services.flatMap(({ name, service_definition, bindings }) =>
        bindings
          .filter((binding) => binding.type === "Port" && binding.port_id === id)
          .map(({ interface_id: at }) => ({
            ...{ name: short(name, 60), is: service_definition },
            at: at === null ? "all addresses" : (addresses.get(at) ?? at),
          })),
      ),
    }));
}

export const find = tool({
  name: "find",
  title: "Find hosts and services",
  description:
    "Hosts and services by a part of their name, host name or address, or by a port such as `:443`. The ids are for the other tools.",
  input: z.object({ text: z.string().min(1).max(100), network_id: network, from }),
  run: async (client, { text: q, network_id, from: offset }) => {
    const query = { q, limit: PAGE, offset, ...inNetwork(network_id) };
    const [hosts, services] = await Promise.all([
      client.list(listHosts, { query }),
      client.list(listServices, { query }),
    ]);
    const isMore = hosts.pagination.has_more || services.pagination.has_more;
    return {
      data: {
        hosts: { total: hosts.pagination.total_count, items: hosts.data.map(hostLine) },
        services: {
          total: services.pagination.total_count,
          items: services.data.map(({ id, name, service_definition: is, host_id, network_id: where }) => ({
            ...{ id, name: short(name, 60), is: short(is, 60), host_id, network_id: where },
          })),
        },
      },
      next: isMore ? `call find with the same text and from=${offset + PAGE}` : null,
    };
  },
});

export const describeHost = tool({
  name: "describe_host",
  title: "Describe a host",
  description:
    "Everything about one host: addresses, open ports, services and where they listen, tags, when it was last seen.",
  input: z.object({ host: z.string().min(1).max(253).describe("Its id, name or host name."), from }),
  run: async (client, { host: text, from: offset }) => {
    const found = isId(text) ? [await client.call(getHost, { params: { id: text } })] : await called(client, text);
    const [host] = found;
    if (host === undefined) return { data: { found: 0 }, next: `call find with a part of the name` };
    if (found.length > 1)
      return { data: found.slice(0, PAGE).map(hostLine), next: "call describe_host with one of these ids" };
    const { name, id, interfaces, ports, services, virtualization, tags, description, hostname, network_id } = host;
    const { role, attributes, observed, is_known } = host;
    const parts = [
      ...interfaces.map(({ ip_address, mac_address, id: one }) => ({ interface: ip_address, mac_address, id: one })),
      ...listeners(host, () => true),
      ...services.map(({ id: one, name: service, observed: said }) => ({
        ...{ service: short(service, 60), id: one },
        ...(said !== null && { is: short([said.product?.value, said.version?.value].join(" ").trim(), 80) }),
      })),
    ];
    const page = pageOf(parts.slice(offset), offset);
    return {
      data: {
        ...{ id, name: short(name, 100), hostname: short(hostname, 253), network_id },
        ...{ description: short(description, 300), virtualization: virtualization?.type ?? null },
        ...{ is_known, role: role ?? observed?.role?.value ?? null, attributes: shortAttributes(attributes) },
        ...{ os: short(observed?.os?.name ?? null, 100), vendor: short(observed?.vendor?.value ?? null, 80) },
        ...{ tags: tags.slice(0, 10), seen: host.seen?.last_at ?? null, missed_since: host.missed_since ?? null },
        counts: { interfaces: interfaces.length, ports: ports.length, services: services.length },
        parts: page.items,
      },
      next: page.next === null ? null : `call describe_host with host=${id} and from=${page.next}`,
    };
  },
});

/** The first attributes, with short values. */
function shortAttributes(attributes: Attributes): object {
  const first = Object.entries(attributes).slice(0, 20);
  return Object.fromEntries(first.map(([key, value]) => [key, typeof value === "string" ? short(value, 80) : value]));
}

/** True if one of the names matches, ignoring case. */
function isOneOf(names: readonly (string | null)[], text: string): boolean {
  return names.some((name) => name !== null && folded(name) === folded(text));
}

/** Hosts with this name. */
async function called(client: Client, text: string): Promise<Host[]> {
  const { data } = await client.list(listHosts, { query: { q: text.slice(0, 100), limit: 20 } });
  return data.filter(({ name, hostname }) => isOneOf([name, hostname], text));
}

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
  run: async (client, { port, protocol, network_id, from: offset }) => {
    const q = `${port}/${protocol.toLowerCase()}`;
    const query = { q, limit: PAGE, offset, ...inNetwork(network_id) };
    const { data, pagination } = await client.list(listHosts, { query });
    const rows = data.map((host) => ({
      ...hostLine(host),
      listens: listeners(host, (number, of) => number === port && of === protocol).map((one) => ({
        ...one,
        services: one.services.slice(0, 3),
      })),
    }));
    const { items, next } = pageOf(rows, offset);
    const place = next ?? (pagination.has_more ? offset + PAGE : null);
    return {
      data: { total: pagination.total_count, hosts: items },
      next: place === null ? null : `call what_listens with the same port and from=${place}`,
    };
  },
});

export const whoIs = tool({
  name: "who_is",
  title: "Who has an address",
  description: "Which host has an IP address or a host name.",
  input: z.object({ address: z.string().min(1).max(253), network_id: network }),
  run: async (client, { address, network_id }) => {
    const query = { q: address.slice(0, 100), limit: 50, ...inNetwork(network_id) };
    const { data } = await client.list(listHosts, { query });
    const isIt = ({ name, hostname, interfaces }: Host): boolean =>
      isOneOf([name, hostname, ...interfaces.map(({ ip_address }) => ip_address)], address);
    const hosts = data.filter(isIt).slice(0, PAGE).map(hostLine);
    return {
      data: { address, hosts },
      next:
        hosts.length === 0
          ? { sentence: "No host has it. Call `find` with a part of it." }
          : "call describe_host with an id",
    };
  },
});

/** Numbers are doubles here, so one beyond their precision is called approximate. */
function amountOf(amount: number): number | string {
  return Number.isSafeInteger(amount) ? amount : `about ${amount.toExponential(1)}`;
}

export const overview = tool({
  name: "overview",
  title: "Overview",
  description: "The user you act for, its permissions, the networks, and counts of everything. A good first call.",
  input: z.object({ network_id: network }),
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

export const whatChanged = tool({
  name: "what_changed",
  title: "What changed",
  description:
    "Changes of the inventory, the newest first: what, when, by whom, and why. What is new since a time is `created`; what scans no longer find is `missed`, and `returned` when it is back.",
  input: z.object({
    action: z.enum(CHANGE_ACTIONS).optional().describe("Only these."),
    entity: ChangedEntity.optional().describe("Only entities of this kind."),
    since: z.iso.datetime({ offset: true }).optional().describe("Only at this time or later."),
    network_id: network,
    host_id: z.string().max(36).optional(),
    after: z.string().max(64).optional().describe("Where to continue, as given in the previous result."),
  }),
  run: async (client, { action, entity, since, network_id, host_id, after }) => {
    const given = { action, entity, since, host_id, after, ...inNetwork(network_id) };
    const query = { ...given, order_direction: "desc", limit: 40 } as const;
    const { data, next } = await client.changes(listChanges, { query });
    const rows = data.map(({ at, action, entity, entity_id, name, fields, actor, comment }) => ({
      ...{ at, action, entity, id: entity_id, name: short(name, 80), fields: fields.slice(0, 10) },
      ...{ by: actor?.email ?? null, comment: short(comment, 100) },
    }));
    const count = fitting(rows);
    const cursor = count < rows.length ? data[count - 1]?.cursor : next;
    return {
      data: { changes: rows.slice(0, count) },
      next:
        cursor === null || cursor === undefined
          ? null
          : `call what_changed with the same arguments and after=${cursor}`,
    };
  },
});

export const whatIsGone = tool({
  name: "what_is_gone",
  title: "Missing entities",
  description: "Hosts, addresses, ports and services that scans have not found for some days.",
  input: z.object({ days: z.int().min(0).max(3_650).default(21), network_id: network, from }),
  run: async (client, { days, network_id, from: offset }): Promise<ToolResult> => {
    const { counts, gone } = await client.call(reportGone, { query: { days, ...inNetwork(network_id) } });
    const rows = gone.slice(offset).map(({ entity, id, name, host_name, missed_since }) => ({
      ...{ entity, id, name: short(name, 80), host: short(host_name, 60), missed_since },
    }));
    const { items, next } = pageOf(rows, offset);
    return {
      data: { counts, gone: items },
      next: next === null ? null : `call what_is_gone with the same arguments and from=${next}`,
    };
  },
});

export const whatDependsOn = tool({
  name: "what_depends_on",
  title: "What depends on something",
  description:
    "What stops if a host or service stops, nearest first, or what it needs. `path` has the ids that lead there from it.",
  input: z.object({
    kind: z.enum(["host", "service"]),
    id: z.string().min(1).max(36).describe("As given by find or describe_host."),
    direction: z.enum(IMPACT_DIRECTIONS).default("dependents"),
    depth: z.int().min(1).max(DEEPEST_IMPACT).default(DEEPEST_IMPACT),
    from,
  }),
  run: async (client, { kind, id, from: offset, ...query }): Promise<ToolResult> => {
    const operation = kind === "host" ? getHostImpact : getServiceImpact;
    const impact = await client.call(operation, { params: { id }, query: { ...query, limit: 1_000 } });
    const { counts, complete, reached } = impact;
    const rows = reached.slice(offset).map(({ dependency_id: dependency, host_id, name, ...one }) => ({
      ...{ ...one, name: short(name, 80), ...(host_id !== one.id && { host_id }) },
      ...(dependency !== null && { dependency }),
    }));
    const { items, next } = pageOf(rows, offset);
    return {
      data: { counts, complete, reached: items },
      next: next === null ? null : `call what_depends_on with the same arguments and from=${next}`,
    };
  },
});

export const endingCertificates = tool({
  name: "ending_certificates",
  title: "Ending certificates",
  description: "Ports whose TLS certificate has ended, or ends within some days, the soonest first.",
  input: z.object({ days: z.int().min(0).max(3_650).default(30), network_id: network, from }),
  run: async (client, { days, network_id, from: offset }): Promise<ToolResult> => {
    const { count, certificates } = await client.call(reportCertificates, {
      query: { days, ...inNetwork(network_id) },
    });
    const rows = certificates.slice(offset).map(({ port_id, host_name, number, protocol, certificate }) => ({
      ...{ host: short(host_name, 60), port: `${number}/${protocol.toLowerCase()}`, id: port_id },
      ...{ ends: certificate.not_after, subject: short(certificate.subject, 100) },
      issuer: short(certificate.issuer, 100),
    }));
    const { items, next } = pageOf(rows, offset);
    return {
      data: { count, certificates: items },
      next: next === null ? null : `call ending_certificates with the same arguments and from=${next}`,
    };
  },
});

export const collectors = tool({
  name: "collectors",
  title: "Collectors and their jobs",
  description:
    "Programs that look around in the networks: whether each is there, which of its senses do not work, and when it looks next; with `collector_id`, its last jobs. Needs an Admin key.",
  input: z.object({
    collector_id: z.string().max(36).optional().describe("The jobs of this one, the newest first."),
    network_id: network,
    from,
  }),
  run: async (client, { collector_id, network_id, from: offset }): Promise<ToolResult> => {
    const query = { limit: PAGE, offset, ...inNetwork(network_id) };
    const newest = { order_by: "created_at", order_direction: "desc" } as const;
    const { data, pagination } =
      collector_id === undefined
        ? await client.list(listCollectors, { query })
        : await client.list(listCollectorJobs, { query: { ...query, ...newest, collector_id } });
    const rows = data.map((one) => ("trigger" in one ? jobLine(one) : collectorLine(one)));
    const { items, next } = pageOf(rows, offset);
    const place = next ?? (pagination.has_more ? offset + PAGE : null);
    return {
      data: { total: pagination.total_count, [collector_id === undefined ? "collectors" : "jobs"]: items },
      next: place === null ? null : `call collectors with the same arguments and from=${place}`,
    };
  },
});

function collectorLine({ id, name, network_id, state, is_enabled, hostname, senses, ...one }: Collector) {
  const lacking = senses.filter(({ state: is }) => is === "unavailable");
  return {
    ...{ id, name: short(name, 60), network_id, state, is_enabled, machine: short(hostname, 80) },
    ...{ last_seen_at: one.last_seen_at, next_run_at: one.next_run_at },
    ...{ targets: one.targets.cidrs.slice(0, 5), excluded: one.targets.exclude.length },
    senses: senses.flatMap(({ name: sense, state: is }) => (is === "ready" ? [sense] : [])),
    unavailable: lacking.slice(0, 5).map(({ name: sense, reason }) => ({ sense, reason: short(reason, 80) })),
  };
}

function jobLine({
  id,
  trigger,
  state,
  created_at,
  ended_at,
  reports,
  covered,
  error,
  summary,
  request_id,
}: CollectorJob) {
  return {
    ...{ id, trigger, state, created_at, ended_at, reports, request_id },
    ...{ covered: covered.slice(0, 5), error: short(error?.message ?? null, 200) },
    ...{ created_hosts: summary?.hosts.create ?? null, missing_hosts: summary?.missing.hosts ?? null },
  };
}
