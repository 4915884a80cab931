/**
 * Races: conflicting requests sent concurrently through two instances of topology. Each round writes entities of its
 * own, so that many rounds run concurrently; `invariants.ts` checks the result.
 */
import {
  createHost,
  createInterface,
  createNetwork,
  createPort,
  createService,
  createSubnet,
  createTag,
  deleteHost,
  deleteInterface,
  deleteNetwork,
  deletePort,
  deleteSubnet,
  deleteTag,
  type Host,
  updateInterface,
  updateService,
  updateSubnet,
} from "@nts/shared/contract";
import type { ServiceResponse, Topology } from "./topology.js";
import { violationsIn } from "./invariants.js";
import { aHost, aNetwork, echoOf, onInterface, onPort, type World } from "./topology-world.js";

/** One request of a round. */
export type RaceRequest = () => Promise<ServiceResponse<unknown>>;

export interface Round {
  /** Sent concurrently. */
  readonly requests: readonly RaceRequest[];
  /** Returns what is wrong after all responses, which are in the order of the requests. */
  readonly fault?: (responses: readonly ServiceResponse<unknown>[]) => Promise<unknown>;
}

/** The input of a round: `left` and `right` are one caller through two instances. */
export interface Sides {
  readonly left: World;
  readonly right: World;
  readonly round: number;
  /** Takes an item from this runner's stock, which is refilled in batches, because single creations are slow. */
  take<T>(make: () => Promise<T[]>): Promise<T>;
}

/** Prepares a round. */
export type PrepareRound = (sides: Sides) => Promise<Round>;

export interface Race {
  readonly prepare: PrepareRound;
  /** The allowed results of a round: for each request "done" or a code. */
  readonly results: readonly (readonly string[])[];
}

export interface RaceResult {
  /** The count of each result. */
  readonly results: ReadonlyMap<string, number>;
  /** Faults found after a round. */
  readonly faults: readonly unknown[];
  /** Violations in the database after all rounds. */
  readonly violations: readonly string[];
}

/** Rounds that run concurrently, each in a network of its own, and what each of these is used for at least. */
const CONCURRENCY = 6;
const ROUNDS_OF_NETWORK = 2;
/** How many entities are created together: few in the short tier, which uses few. */
export const BATCH = process.env["RACE_ROUNDS"] === undefined ? ROUNDS_OF_NETWORK : 25;

/** Runs rounds of a race concurrently; sides and the order of sending alternate. */
export async function runRace(topology: Topology, prepare: PrepareRound, rounds: number): Promise<RaceResult> {
  const results = new Map<string, number>();
  const faults: unknown[] = [];
  let next = 0;
  const runner = async (): Promise<void> => {
    // A network for each runner: rounds that share one would wait for each other at its guards.
    const world = await aNetwork(topology.aCaller());
    const other = { ...world, owner: world.owner.via(1) };
    const stock: unknown[] = [];
    const take = async <T>(make: () => Promise<T[]>): Promise<T> => {
      if (stock.length === 0) stock.push(...(await make()));
      return stock.pop() as T;
    };
    for (let round = next++; round < rounds; round = next++) {
      const sides = round % 2 === 0 ? { left: world, right: other } : { left: other, right: world };
      const { requests, fault } = await prepare({ ...sides, round, take });
      const responses = await allAtOnce(requests, round % 4 < 2);
      const end = responses.map(({ status, code }) => (status === 200 ? "done" : code)).join(", ");
      results.set(end, (results.get(end) ?? 0) + 1);
      const wrong = (await fault?.(responses)) ?? null;
      if (wrong !== null) faults.push(wrong);
    }
  };
  const runners = Math.min(CONCURRENCY, Math.ceil(rounds / ROUNDS_OF_NETWORK));
  await Promise.all(Array.from({ length: runners }, runner));
  return { results, faults, violations: await violationsIn(topology.db) };
}

/** Sends requests concurrently, optionally in reverse. @returns the responses in the order of the requests */
async function allAtOnce(requests: readonly RaceRequest[], reversed: boolean): Promise<ServiceResponse<unknown>[]> {
  if (!reversed) return Promise.all(requests.map((act) => act()));
  return (await Promise.all(requests.toReversed().map((act) => act()))).reverse();
}

const both = (reference: string): string[][] => [
  ["done", "done"],
  [reference, "done"],
];

const bindingAgainst = (what: "interface" | "port"): Race => ({
  prepare: async ({ left, right, round, take }) => {
    const { at, port, service } = await take(async () => {
      const { interfaces, ports, services } = await aHost(left, { interfaces: BATCH, ports: BATCH, services: 1 });
      return interfaces.map((one, n) => ({ at: one, port: ports[n]!, service: services[0]! }));
    });
    const { host_id, network_id } = service;
    const bindings = what === "port" ? [onPort(port)] : [round % 3 === 0 ? onInterface(at) : onPort(port, at)];
    const body = { host_id, network_id, name: "new", service_definition: "x", bindings };
    return {
      requests: [
        round % 5 === 0
          ? () => left.owner.send(createService, { body })
          : () => left.owner.send(updateService, { params: service, body: { ...echoOf(service), bindings } }),
        what === "port"
          ? () => right.owner.send(deletePort, { params: port })
          : () => right.owner.send(deleteInterface, { params: at }),
      ],
    };
  },
  results: both("binding_cross_host"),
});

type Child = "service" | "port" | "interface" | "service that moves in";

const childAgainstHost = (child: Child): Race => ({
  prepare: async (sides) => {
    const host = await aHost(sides.left);
    const doomed: RaceRequest = () => sides.right.owner.send(deleteHost, { params: host });
    return { requests: [await newChild(sides, host, child), doomed] };
  },
  results: both("invalid_reference"),
});

async function newChild({ left, take }: Sides, host: Host, child: Child): Promise<RaceRequest> {
  const at = { host_id: host.id, network_id: host.network_id };
  const { owner, subnet } = left;
  switch (child) {
    case "service":
      return () => owner.send(createService, { body: { ...at, name: "s", service_definition: "x" } });
    case "port":
      return () => owner.send(createPort, { body: { ...at, number: 80, protocol: "Tcp" } });
    case "interface": {
      const body = { ...at, subnet_id: subnet.id, ip_address: "10.0.0.1" };
      return () => owner.send(createInterface, { body });
    }
    case "service that moves in": {
      const service = await take(async () => (await aHost(left, { name: "from", services: BATCH })).services);
      const body = { ...echoOf(service), host_id: host.id };
      return () => owner.send(updateService, { params: service, body });
    }
  }
}

/** An interface that is created in, or moves to, a subnet of the round at 10.0.0.200. */
const intoSubnet = (against: (right: World, subnet: World["subnet"]) => RaceRequest, results: string[][]): Race => ({
  prepare: async ({ left, right, round, take }) => {
    const { owner, network } = left;
    const subnet = await owner.call(createSubnet, { body: { network_id: network.id, cidr: "10.0.0.0/24", name: "s" } });
    const at = await take(async () => (await aHost(left, { interfaces: BATCH })).interfaces);
    const body = { ...at, subnet_id: subnet.id, ip_address: "10.0.0.200", position: undefined };
    const into: RaceRequest =
      round % 3 === 0
        ? () => owner.send(updateInterface, { params: at, body })
        : () => owner.send(createInterface, { body });
    return { requests: [into, against(right, subnet)] };
  },
  results,
});

const intoNetwork = (kind: "host" | "subnet"): Race => ({
  prepare: async ({ left, right }) => {
    const network = await left.owner.call(createNetwork, { body: { name: "doomed" } });
    const body = { network_id: network.id, name: "new", cidr: "10.0.0.0/8" };
    const requests: RaceRequest[] = [
      () => (kind === "host" ? left.owner.send(createHost, { body }) : left.owner.send(createSubnet, { body })),
      () => right.owner.send(deleteNetwork, { params: network }),
    ];
    return { requests };
  },
  results: both("invalid_reference"),
});

const tagOntoService: Race = {
  prepare: async ({ left, right, round, take }) => {
    const service = await take(async () => (await aHost(left, { services: BATCH })).services);
    const tag = await left.owner.call(createTag, { body: { name: `tag ${round}` } });
    const body = { ...echoOf(service), tags: [tag.id] };
    const requests: RaceRequest[] = [
      () => left.owner.send(updateService, { params: service, body }),
      () => right.owner.send(deleteTag, { params: tag }),
    ];
    return { requests };
  },
  results: both("invalid_reference"),
};

/** Every guard with the races that it decides. */
export const RACES = {
  lock: {
    "a binding against the delete of its interface": bindingAgainst("interface"),
    "a binding against the delete of its port": bindingAgainst("port"),
    "a new service against the delete of its host": childAgainstHost("service"),
    "a new port against the delete of its host": childAgainstHost("port"),
    "a new interface against the delete of its host": childAgainstHost("interface"),
    "a service that moves in against the delete of the host": childAgainstHost("service that moves in"),
  },
  reference: {
    "an interface against the delete of its subnet": intoSubnet(
      ({ owner }, subnet) =>
        () =>
          owner.send(deleteSubnet, { params: subnet }),
      [
        ["done", "in_use"],
        ["invalid_reference", "done"],
      ],
    ),
    "an interface against a subnet that shrinks": intoSubnet(
      ({ owner }, subnet) =>
        () =>
          owner.send(updateSubnet, { params: subnet, body: { ...subnet, cidr: "10.0.0.0/25" } }),
      [
        ["done", "ip_outside_subnet"],
        ["ip_outside_subnet", "done"],
      ],
    ),
    "a tag against its own delete": tagOntoService,
  },
  count: {
    "a new host against the delete of its network": intoNetwork("host"),
    "a new subnet against the delete of its network": intoNetwork("subnet"),
  },
} satisfies Record<string, Record<string, Race>>;
