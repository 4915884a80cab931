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
import type { Answered, Topology } from "./topology.js";
import { violationsIn } from "./invariants.js";
import { aHost, aNetwork, echoOf, onInterface, onPort, type World } from "./topology-world.js";

/** One request of a round. */
export type Act = () => Promise<Answered<unknown>>;

export interface Round {
  /** Sent concurrently. */
  readonly acts: readonly Act[];
  /** Returns what is wrong after all responses, which are in the order of the requests. */
  readonly fault?: (answers: readonly Answered<unknown>[]) => Promise<unknown>;
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
export type Stage = (sides: Sides) => Promise<Round>;

export interface Race {
  readonly stage: Stage;
  /** The allowed results of a round: for each request "done" or a code. */
  readonly ends: readonly (readonly string[])[];
}

export interface RaceResult {
  /** The count of each result. */
  readonly ends: ReadonlyMap<string, number>;
  /** Faults found after a round. */
  readonly faults: readonly unknown[];
  /** Violations in the database after all rounds. */
  readonly violations: readonly string[];
}

const AT_A_TIME = 6;
/** How many entities are created together. */
export const BATCH = 25;

/** Runs rounds of a race concurrently; sides and the order of sending alternate. */
export async function runRace(topology: Topology, stage: Stage, rounds: number): Promise<RaceResult> {
  const ends = new Map<string, number>();
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
      const { acts, fault } = await stage({ ...sides, round, take });
      const answers = await allAtOnce(acts, round % 4 < 2);
      const end = answers.map(({ status, code }) => (status === 200 ? "done" : code)).join(", ");
      ends.set(end, (ends.get(end) ?? 0) + 1);
      const wrong = (await fault?.(answers)) ?? null;
      if (wrong !== null) faults.push(wrong);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, runner));
  return { ends, faults, violations: await violationsIn(topology.db) };
}

/** Sends requests concurrently, optionally in reverse. @returns the responses in the order of the requests */
async function allAtOnce(acts: readonly Act[], reversed: boolean): Promise<Answered<unknown>[]> {
  if (!reversed) return Promise.all(acts.map((act) => act()));
  return (await Promise.all(acts.toReversed().map((act) => act()))).reverse();
}

const both = (reference: string): string[][] => [["done", "done"], [reference, "done"]]; // prettier-ignore

const bindingAgainst = (what: "interface" | "port"): Race => ({
  stage: async ({ left, right, round, take }) => {
    const { at, port, service } = await take(async () => {
      const { interfaces, ports, services } = await aHost(left, { interfaces: BATCH, ports: BATCH, services: 1 });
      return interfaces.map((one, n) => ({ at: one, port: ports[n]!, service: services[0]! }));
    });
    const { host_id, network_id } = service;
    const bindings = what === "port" ? [onPort(port)] : [round % 3 === 0 ? onInterface(at) : onPort(port, at)];
    const body = { host_id, network_id, name: "new", service_definition: "x", bindings };
    return {
      acts: [
        round % 5 === 0
          ? () => left.owner.send(createService, { body })
          : () => left.owner.send(updateService, { params: service, body: { ...echoOf(service), bindings } }),
        what === "port"
          ? () => right.owner.send(deletePort, { params: port })
          : () => right.owner.send(deleteInterface, { params: at }),
      ],
    };
  },
  ends: both("binding_cross_host"),
});

type Child = "service" | "port" | "interface" | "service that moves in";

const childAgainstHost = (child: Child): Race => ({
  stage: async (sides) => {
    const host = await aHost(sides.left);
    const doomed: Act = () => sides.right.owner.send(deleteHost, { params: host });
    return { acts: [await newChild(sides, host, child), doomed] };
  },
  ends: both("invalid_reference"),
});

async function newChild({ left, take }: Sides, host: Host, child: Child): Promise<Act> {
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
const intoSubnet = (against: (right: World, subnet: World["subnet"]) => Act, ends: string[][]): Race => ({
  stage: async ({ left, right, round, take }) => {
    const { owner, network } = left;
    const subnet = await owner.call(createSubnet, { body: { network_id: network.id, cidr: "10.0.0.0/24", name: "s" } });
    const at = await take(async () => (await aHost(left, { interfaces: BATCH })).interfaces);
    const body = { ...at, subnet_id: subnet.id, ip_address: "10.0.0.200", position: undefined };
    const into: Act =
      round % 3 === 0
        ? () => owner.send(updateInterface, { params: at, body })
        : () => owner.send(createInterface, { body });
    return { acts: [into, against(right, subnet)] };
  },
  ends,
});

const intoNetwork = (kind: "host" | "subnet"): Race => ({
  stage: async ({ left, right }) => {
    const network = await left.owner.call(createNetwork, { body: { name: "doomed" } });
    const body = { network_id: network.id, name: "new", cidr: "10.0.0.0/8" };
    const acts: Act[] = [
      () => (kind === "host" ? left.owner.send(createHost, { body }) : left.owner.send(createSubnet, { body })),
      () => right.owner.send(deleteNetwork, { params: network }),
    ];
    return { acts };
  },
  ends: both("invalid_reference"),
});

const tagOntoService: Race = {
  stage: async ({ left, right, round, take }) => {
    const service = await take(async () => (await aHost(left, { services: BATCH })).services);
    const tag = await left.owner.call(createTag, { body: { name: `tag ${round}` } });
    const body = { ...echoOf(service), tags: [tag.id] };
    const acts: Act[] = [
      () => left.owner.send(updateService, { params: service, body }),
      () => right.owner.send(deleteTag, { params: tag }),
    ];
    return { acts };
  },
  ends: both("invalid_reference"),
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
      ({ owner }, subnet) => () => owner.send(deleteSubnet, { params: subnet }),
      [["done", "in_use"], ["invalid_reference", "done"]],
    ),
    "an interface against a subnet that shrinks": intoSubnet(
      ({ owner }, subnet) => () => owner.send(updateSubnet, { params: subnet, body: { ...subnet, cidr: "10.0.0.0/25" } }),
      [["done", "ip_outside_subnet"], ["ip_outside_subnet", "done"]],
    ),
    "a tag against its own delete": tagOntoService,
  },
  count: {
    "a new host against the delete of its network": intoNetwork("host"),
    "a new subnet against the delete of its network": intoNetwork("subnet"),
  },
} satisfies Record<string, Record<string, Race>>; // prettier-ignore
