/**
 * Random histories of writes on few entities. Random numbers are interpreted when a step runs, against the ids that
 * were created; those may be deleted by then.
 */
import fc from "fast-check";
import type { ApiResponse, Caller } from "./api.js";

type Drawn = readonly [kind: number, a: number, b: number, c: number];
type Kind = "networks" | "subnets" | "hosts" | "interfaces" | "ports" | "services" | "views" | "tags";

interface Known {
  readonly id: string;
  readonly network_id: string;
  readonly host_id?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface World {
  readonly known: Record<Kind, Known[]>;
  /** Every MAC address that was ever returned for an interface. */
  readonly macs: Map<string, Set<string>>;
  /** A network that is never deleted, because a caller is restricted to it. */
  readonly home?: string;
}

export function anEmptyWorld(home?: string): World {
  const known = { networks: [], subnets: [], hosts: [], interfaces: [], ports: [], services: [], views: [], tags: [] };
  return { known, macs: new Map(), ...(home !== undefined && { home }) };
}

/** Draws a history, deterministic for a seed. */
export function drawHistory(seed: number, length: number): Drawn[] {
  const number = fc.nat({ max: 1_000_000 });
  return fc.sample(fc.tuple(number, number, number, number), { seed, numRuns: length });
}

/** Runs one step of a history. @returns null when there is nothing it could apply to */
export async function step(world: World, caller: Caller, drawn: Drawn): Promise<ApiResponse | null> {
  const weighted = STEPS.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));
  const act = weighted[drawn[0] % weighted.length];
  return act === undefined ? null : act(world, caller, drawn);
}

type Step = (world: World, caller: Caller, drawn: Drawn) => Promise<ApiResponse | null>;

const pick = <T>(items: readonly T[], n: number): T | undefined => items[n % Math.max(1, items.length)];

function create(kind: Kind, most: number, bodyOf: (world: World, drawn: Drawn) => object | null): Step {
  return async (world, caller, drawn) => {
    const body = world.known[kind].length < most ? bodyOf(world, drawn) : null;
    if (body === null) return null;
    const response = await caller.send("post", `/api/v1/${kind}`, body);
    if (response.status === 200) remember(world, kind, response.body.data);
    return response;
  };
}

function update(kind: Kind, changesOf: (world: World, known: Known, drawn: Drawn) => object): Step {
  return async (world, caller, drawn) => {
    const known = pick(world.known[kind], drawn[1]);
    if (known === undefined) return null;
    const body = { ...known.body, ...changesOf(world, known, drawn) };
    const response = await caller.send("put", `/api/v1/${kind}/${known.id}`, body);
    if (response.status === 200) remember(world, kind, response.body.data);
    return response;
  };
}

function remove(kind: Kind, atLeast: number, count: number): Step {
  return async (world, caller, [, a]) => {
    const all = world.known[kind].filter(({ id }) => id !== world.home);
    if (all.length <= atLeast) return null;
    const gone = Array.from({ length: count }, (_, i) => pick(all, a + i)?.id ?? "");
    world.known[kind] = world.known[kind].filter(({ id }) => !gone.includes(id));
    return count === 1
      ? caller.send("delete", `/api/v1/${kind}/${gone[0] ?? ""}`)
      : caller.send("post", `/api/v1/${kind}/bulk-delete`, gone);
  };
}

function remember(world: World, kind: Kind, data: Readonly<Record<string, unknown>>): void {
  const id = String(data["id"]);
  const hostId = data["host_id"] === undefined ? {} : { host_id: String(data["host_id"]) };
  const known: Known = { id, network_id: String(data["network_id"] ?? id), ...hostId, body: data };
  world.known[kind] = [...world.known[kind].filter((one) => one.id !== id), known];
  if (typeof data["mac_address"] === "string")
    world.macs.set(id, (world.macs.get(id) ?? new Set<string>()).add(data["mac_address"]));
  for (const children of ["interfaces", "ports", "services"] as const)
    for (const child of (data[children] ?? []) as Record<string, unknown>[]) remember(world, children, child);
}

const MOST_HOSTS = 5;

/** Merges two hosts, or a host with itself. */
const merge: Step = async (world, caller, [, a, b]) => {
  const host = pick(world.known.hosts, a);
  const other = pick(world.known.hosts, b);
  if (host === undefined || other === undefined) return null;
  const response = await caller.send("post", `/api/v1/hosts/${host.id}/merge`, { host_id: other.id });
  if (response.status !== 200) return response;
  world.known.hosts = world.known.hosts.filter(({ id }) => id !== other.id);
  for (const kind of ["interfaces", "ports", "services"] as const)
    world.known[kind] = world.known[kind].filter(({ host_id }) => host_id !== host.id && host_id !== other.id);
  remember(world, "hosts", response.body.data);
  return response;
};

/** Splits a host by one or two interfaces, which may be all that it has. */
const split: Step = async (world, caller, [, a, b, c]) => {
  const host = pick(world.known.hosts, a);
  const own = world.known.interfaces.filter(({ host_id }) => host_id === host?.id);
  if (host === undefined || own.length === 0 || world.known.hosts.length >= MOST_HOSTS) return null;
  const interface_ids = Array.from({ length: 1 + (c % 2) }, (_, i) => pick(own, b + i)?.id);
  const body = { interface_ids, name: `host ${c}` };
  const response = await caller.send("post", `/api/v1/hosts/${host.id}/split`, body);
  if (response.status === 200) remember(world, "hosts", response.body.data);
  return response;
};

/** Random tags: a label, managed tags, or none. */
function tagsFor({ known }: World, n: number): string[] {
  return [[], ["label"], known.tags.slice(n % 3, (n % 3) + 2).map(({ id }) => id)][n % 3] ?? [];
}

/** Random bindings, most of them to the host itself; a few to another one. */
function bindingsFor({ known }: World, hostId: string, [, a, b, c]: Drawn): object[] {
  const isStray = c % 17 === 0;
  const ports = known.ports.filter(({ host_id }) => isStray || host_id === hostId);
  const interfaces = known.interfaces.filter(({ host_id }) => isStray || host_id === hostId);
  return Array.from({ length: b % 4 }, (_, i) => {
    const port = pick(ports, a + i);
    const interfaceId = pick(interfaces, b + i)?.id;
    if ((a + i) % 4 === 0 && interfaceId !== undefined) return { type: "Interface", interface_id: interfaceId };
    return port && { type: "Port", port_id: port.id, interface_id: (c + i) % 2 === 0 ? null : (interfaceId ?? null) };
  }).filter((binding) => binding !== undefined);
}

const addressFor = (n: number): string => `10.0.0.${1 + (n % 200)}`;

const newInterface = ({ known }: World, host: Known, [, , b, c]: Drawn): object | null => {
  const subnet = pick(known.subnets, c);
  return subnet === undefined
    ? null
    : {
        host_id: host.id,
        network_id: host.network_id,
        subnet_id: subnet.id,
        ip_address: addressFor(b),
        position: c % 4,
      };
};

const STEPS: readonly (readonly [number, Step])[] = [
  [2, create("networks", 2, (_world, [, a]) => ({ name: `network ${a}` }))],
  [
    3,
    create("subnets", 4, ({ known }, [, a]) => {
      const network = pick(known.networks, a);
      return network ? { network_id: network.id, cidr: "10.0.0.0/24", name: "subnet", tags: [] } : null;
    }),
  ],
  [2, create("tags", 4, (_world, [, a]) => ({ name: `tag ${a}` }))],
  [
    3,
    create("hosts", MOST_HOSTS, (world, [, a, b, c]) => {
      const network = pick(world.known.networks, a);
      const subnet = pick(
        world.known.subnets.filter(({ network_id }) => network_id === network?.id),
        b,
      );
      const port = "00000000-0000-4000-8000-000000000001";
      const nic = "00000000-0000-4000-8000-000000000002";
      return network
        ? {
            network_id: network.id,
            name: `host ${a}`,
            tags: tagsFor(world, b),
            interfaces: subnet ? [{ id: nic, subnet_id: subnet.id, ip_address: addressFor(c) }] : [],
            ports: [{ id: port, number: 1 + (c % 100), protocol: "Tcp" }],
            services: [{ name: "first", service_definition: "nginx", bindings: [{ type: "Port", port_id: port }] }],
          }
        : null;
    }),
  ],
  [
    8,
    create("interfaces", 40, (world, drawn) => {
      const host = pick(world.known.hosts, drawn[1]);
      return host ? newInterface(world, host, drawn) : null;
    }),
  ],
  [
    8,
    create("ports", 40, ({ known }, [, a, b, c]) => {
      const host = pick(known.hosts, a);
      return host
        ? { host_id: host.id, network_id: host.network_id, number: 1 + (b % 60), protocol: c % 2 ? "Tcp" : "Udp" }
        : null;
    }),
  ],
  [
    10,
    create("services", 60, (world, drawn) => {
      const host = pick(world.known.hosts, drawn[1]);
      return host
        ? {
            host_id: host.id,
            network_id: host.network_id,
            name: `service ${drawn[1]}`,
            service_definition: drawn[2] % 2 ? "nginx" : "our own",
            position: drawn[3] % 6,
            tags: tagsFor(world, drawn[2]),
            bindings: bindingsFor(world, host.id, drawn),
          }
        : null;
    }),
  ],
  [
    24,
    update("services", (world, known, drawn) => {
      const [, a, b, c] = drawn;
      const host = c % 5 === 0 ? (pick(world.known.hosts, b)?.id ?? known.host_id) : known.host_id;
      return {
        host_id: host,
        name: `service ${a}`,
        position: b % 6,
        tags: tagsFor(world, c),
        bindings: bindingsFor(world, String(host), drawn),
      };
    }),
  ],
  [
    12,
    update("interfaces", (_world, _known, [, a, b, c]) => ({
      position: a % 5,
      ip_address: addressFor(b),
      ...(c % 3 === 0 && { mac_address: `02:00:00:00:00:${(c % 256).toString(16).padStart(2, "0")}` }),
    })),
  ],
  [4, update("ports", (_world, _known, [, , b]) => ({ number: 1 + (b % 60) }))],
  [4, update("hosts", (world, _known, [, a, b]) => ({ name: `host ${a}`, tags: tagsFor(world, b) }))],
  [
    3,
    update("subnets", (world, _known, [, a, b]) => ({
      cidr: a % 2 ? "10.0.0.0/24" : "10.0.0.0/25",
      tags: tagsFor(world, b),
    })),
  ],
  [
    2,
    create("views", 4, (world, [, a, b, c]) => ({
      network_id: c % 3 === 0 ? null : (pick(world.known.networks, a)?.id ?? null),
      name: `view ${a}`,
      tags: tagsFor(world, b),
    })),
  ],
  [
    3,
    update("views", (world, _known, [, a, b, c]) => ({
      name: `view ${a}`,
      positions: { [pick(world.known.hosts, b)?.id ?? "none"]: { x: c % 100, y: b % 100 } },
      tags: tagsFor(world, c),
    })),
  ],
  [1, remove("views", 0, 1)],
  [4, remove("services", 6, 1)],
  [2, remove("services", 6, 3)],
  [4, remove("interfaces", 4, 1)],
  [4, remove("ports", 4, 1)],
  [1, remove("ports", 4, 2)],
  [2, remove("hosts", 2, 1)],
  [2, merge],
  [2, split],
  [1, remove("subnets", 1, 1)],
  [1, remove("tags", 0, 1)],
  [1, async (world, caller, drawn) => (drawn[3] % 8 === 0 ? remove("networks", 1, 1)(world, caller, drawn) : null)],
];
