import type { ClientSession } from "mongodb";
import type { Subnet } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { Discard } from "@nts/shared/mongo/transaction";
import { parseBlock } from "../addresses.js";
import { insertHost } from "../hosts/insert.js";
import { insertServices, saveService } from "../services/write.js";
import type { Stored } from "../storage/entities.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import { revised } from "../storage/revisions.js";
import { LANES } from "../storage/guards.js";
import type { Storage } from "../storage/storage.js";
import { holdAddress } from "../subnets/hold-address.js";
import { insertSubnet } from "../subnets/insert.js";
import { matchOf } from "./match.js";
import type { Places } from "./places.js";
import { planHost, type Planned, type PlannedHost } from "./plan.js";
import type { SeenHost } from "./scan.js";
import { interfacesOf, knownHost } from "./store.js";

// Writes what an import plans. Two imports of one file would both find that a host is not there. So each transaction begins
// with writes that collide with those of every other import of the same host, and looks for the host again before it makes
// one: whatever a host can be recognized by has a lane of the network's guards, and the transaction holds the lanes of its
// host. It stays in one of them with all that it writes to guards, so that hosts of different lanes can be written at once.

/** The network that an import writes, with its subnets. */
export interface Target {
  /** Of the one network. */
  readonly scope: Scope;
  readonly networkId: string;
  readonly places: Places;
}

/** A subnet that is there now. */
export interface MadeSubnet {
  readonly id: string;
  readonly cidr: string;
  readonly isNew: boolean;
}

/**
 * Recognizes a host or makes it, and adds what is missing.
 *
 * @param hostId the host that it was a moment ago, if any
 * @returns what was done
 * @throws AppError as other writes of hosts do
 */
export function applyHost(
  storage: Storage,
  target: Target,
  seen: SeenHost,
  hostId: string | null,
): Promise<PlannedHost> {
  const { scope, networkId, places } = target;
  const lanes = lanesOf(seen.addresses.flatMap(({ ip, mac }) => (mac === null ? [ip] : [ip, mac])));
  const laned = { ...storage, guards: storage.guards.inLane(lanes[0] ?? 0) };
  return refusingDuplicates(() =>
    storage.transaction([...keysOf(networkId, lanes), ...(hostId === null ? [] : [hostId])], async (session) => {
      await holdLanes(storage, session, target, lanes);
      const match = matchOf(seen, await interfacesOf(storage, scope, [seen], session), places.prefixOf);
      const there = match === null ? null : await knownHost(storage, scope, match.hostId, session);
      const known = match === null || there === null ? null : { ...there, by: match.by };
      const now = new Date();
      const planning = { networkId, now: now.toISOString(), newId, placeOf: places.of, cidrOf: places.cidrOf };
      const plan = planHost(seen, known, planning);
      if (plan.action === "unchanged") throw new Discard(plan);
      if (plan.action === "create") await insertHost(laned, session, scope, newHostOf(plan));
      else await writeChanges(laned, session, target, { plan, now });
      return plan;
    }),
  );
}

/** Makes subnets that the network has not; those that it has by now are taken. */
export function makeSubnets(storage: Storage, target: Target, cidrs: readonly string[]): Promise<MadeSubnet[]> {
  const { scope, networkId } = target;
  const lanes = lanesOf(cidrs);
  return storage.transaction(keysOf(networkId, lanes), async (session) => {
    await holdLanes(storage, session, target, lanes);
    const keys = cidrs.map((cidr) => parseBlock(cidr, "cidr").key);
    const there = await storage.subnets.findMany(scope, { cidr_key: { $in: keys } }, session);
    const made: MadeSubnet[] = [];
    const now = new Date().toISOString();
    for (const cidr of cidrs) {
      const found = there.find(({ entity }) => entity.cidr === cidr);
      const id = found?.entity.id ?? newId();
      if (found === undefined) await insertSubnet(storage, session, scope, newSubnet({ id, cidr, networkId, now }));
      made.push({ id, cidr, isNew: found === undefined });
    }
    return made;
  });
}

/** The lanes of what hosts and subnets are recognized by, in ascending order. */
function lanesOf(identities: readonly string[]): number[] {
  const lanes = identities.map((text) =>
    [...text].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 65_521, 0),
  );
  return [...new Set(lanes.map((sum) => sum % LANES))].sort((a, b) => a - b);
}

/** What makes the transactions of this process wait for each other instead of colliding. */
function keysOf(networkId: string, lanes: readonly number[]): string[] {
  return lanes.map((lane) => `import into ${networkId}, lane ${lane}`);
}

async function holdLanes(
  { guards }: Storage,
  session: ClientSession,
  { scope, networkId }: Target,
  lanes: readonly number[],
): Promise<void> {
  for (const lane of lanes)
    if (!(await guards.inLane(lane).hold(session, scope, networkId, "network")))
      throw new AppError("invalid_reference", { path: "network_id" });
}

function newSubnet({ id, cidr, networkId, now }: { id: string; cidr: string; networkId: string; now: string }): Subnet {
  const nothing = { description: null, subnet_type: null, tags: [] };
  const source = { type: "Discovery" };
  return { id, created_at: now, updated_at: now, network_id: networkId, cidr, name: cidr, source, ...nothing };
}

function newHostOf({ entity, interfaces, ports, services }: PlannedHost) {
  const entities = <T>(planned: readonly Planned<T>[]): T[] => planned.map((one) => one.entity);
  return { host: entity, interfaces: entities(interfaces), ports: entities(ports), services: entities(services) };
}

/** Adds to a host that was there. */
async function writeChanges(
  storage: Storage,
  session: ClientSession,
  { scope, networkId }: Target,
  { plan, now }: { plan: PlannedHost; now: Date },
): Promise<void> {
  const { guards, hosts, interfaces, ports } = storage;
  const created = <T>(planned: readonly Planned<T>[]): T[] =>
    planned.flatMap(({ action, entity }) => (action === "create" ? [entity] : []));
  const added = {
    interfaces: created(plan.interfaces),
    ports: created(plan.ports),
    services: created(plan.services),
  };
  const host = await hosts.lock(session, scope, plan.entity.id, {
    add: { interfaces: added.interfaces.map(({ id }) => id), ports: added.ports.map(({ id }) => id) },
    services: added.services.length,
  });
  if (host === null) throw new AppError("not_found", { entity: hosts.name });
  for (const { subnet_id: subnetId, ip_address: address } of added.interfaces)
    await holdAddress(storage, session, scope, { subnetId, networkId, address });
  await guards.count(session, scope, networkId, {
    interfaces: added.interfaces.length,
    ports: added.ports.length,
    services: added.services.length,
    bindings: added.services.reduce((sum, { bindings }) => sum + bindings.length, 0),
  });
  await interfaces.insert(session, scope, added.interfaces);
  await interfaces.replace(session, scope, changed(plan.interfaces, now));
  await ports.insert(session, scope, added.ports);
  await insertServices(storage, session, scope, { host, inserted: added.services });
  for (const { action, before, entity } of plan.services) {
    const after = action === "update" && before !== null ? revised(before, entity, now) : null;
    if (before !== null && after !== null) await saveService(storage, session, scope, { before, after, host });
  }
  // The lock has moved the revision to this one already.
  const next = plan.before === null ? null : revised(plan.before, plan.entity, now);
  if (next !== null) await hosts.replace(session, scope, [next]);
}

function changed<T extends { id: string; created_at: string; updated_at: string }>(
  planned: readonly Planned<T>[],
  now: Date,
): Stored<T>[] {
  return planned.flatMap(({ action, before, entity }) => {
    const next = action === "update" && before !== null ? revised(before, entity, now) : null;
    return next === null ? [] : [next];
  });
}
