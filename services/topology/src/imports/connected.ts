import type { Document } from "mongodb";
import type { Dependency, ImportedDependency, SkippedPart } from "@nts/shared/contract";
import { isWrittenByHand } from "@nts/shared/contract/import-formats";
import type { AppError } from "@nts/shared/errors";
import { chunksOf, putUnder } from "@nts/shared/groups";
import { nameBetween } from "@nts/shared/contract/names.rules";
import type { Scope } from "@nts/shared/http/tenancy";
import { DEADLINES } from "@nts/shared/timing";
import { store } from "../commit/store.js";
import { changesOf } from "../storage/changes.rules.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import type { Stored } from "../storage/entities.js";
import { BINDING_INDEXES, BY_ID, HOST_DEPENDENCIES_INDEX, HOST_PORTS_INDEX } from "../storage/indexes.js";
import { firstSighting } from "../storage/sightings.js";
import type { Storage } from "../storage/storage.js";
import { importKeys, type Target } from "./apply.js";
import type { NotMade } from "./connections.rules.js";
import type { PlannedDependency } from "./dependencies.rules.js";
import type { AskedConnections, KnownPlace } from "./known-places.js";
import { refusalOf } from "./result.rules.js";
import { portText } from "./scan.rules.js";
import type { HostSighting } from "./sightings.rules.js";
import { namesOf } from "./store.js";
import type { Remote } from "./thread.js";

// The dependencies of an import, after its hosts: what each machine of the file is connected to becomes dependencies in a few
// transactions. One that is refused does not stop the others.

/** Written together. */
const TOGETHER = 100;
/** Addresses whose hosts are read together. */
const ADDRESSES = 500;
/** Refused one by one, after which a machine's others are refused without a try. */
const MOST_REFUSED = 10;
const FOREVER = DEADLINES.streamMs;

interface Connecting {
  readonly storage: Storage;
  readonly session: Remote;
  readonly target: Target;
  readonly isDry: boolean;
  readonly atMs: number;
  readonly by: string;
  /** Called before something is written. */
  readonly look: () => Promise<void>;
  readonly faultOf: (error: unknown) => AppError;
}

/** The dependencies of a machine of the file. */
export interface ConnectedMachine {
  readonly results: readonly ImportedDependency[];
  readonly sighting: HostSighting;
  readonly notMade: NotMade;
  readonly skipped: readonly SkippedPart[];
}

export async function* connectedMachines(connecting: Connecting): AsyncGenerator<ConnectedMachine> {
  const { storage, session, target, isDry } = connecting;
  for (let at = 0; ; at++) {
    const asked = await session.connections(at);
    if (asked === null) return;
    const there = asked.hostId === null ? [] : await dependenciesOf(storage, target.scope, asked.hostId);
    const places = await placesAt(storage, target.scope, asked);
    const now = new Date().toISOString();
    const { planned, missed, ...rest } = await session.dependencies(at, { now, isDry, there, places });
    const results = isDry ? previewOf(planned) : await written(connecting, planned);
    const ids = planned.flatMap(({ action, entity }, n) =>
      action === "create" || results[n]?.action === "failed" ? [] : [entity.id],
    );
    const names = await namesOf(storage, target.scope, endsOf(there, new Set(missed.map(({ id }) => id))));
    const known = new Map(there.map(({ entity }) => [entity.id, entity]));
    const named = missed.map((one) => ({ ...one, name: nameBetween(known.get(one.id) ?? {}, (id) => names.get(id)) }));
    // What people write observes nothing.
    const found = isWrittenByHand(connecting.by) ? [] : ids;
    yield { ...rest, results, sighting: { found: { dependencies: found }, missed: named } };
  }
}

/** New entities have no ids yet. */
function previewOf(planned: readonly PlannedDependency[]): ImportedDependency[] {
  return planned.map(({ action, result }) => (action === "create" ? { ...result, id: null } : result));
}

function endsOf(some: readonly Stored<Dependency>[], ids: ReadonlySet<string>): string[] {
  return some.flatMap(({ entity: { id, client, server } }) => (ids.has(id) ? [client.host_id, server.host_id] : []));
}

/** All dependencies with a host at an end, which are a limited number. */
async function dependenciesOf({ dependencies }: Storage, scope: Scope, hostId: string): Promise<Stored<Dependency>[]> {
  const filter = { ...dependencies.within(scope), host_id: { $in: [hostId] } };
  const found: Stored<Dependency>[] = [];
  for await (const batch of dependencies.readStored(scope, {
    filter,
    hint: HOST_DEPENDENCIES_INDEX,
    maxTimeMS: FOREVER,
  }))
    found.push(...batch);
  return found;
}

/** The hosts at the addresses, with their ports of these numbers and what is bound to them. */
async function placesAt(storage: Storage, scope: Scope, { addresses, ports }: AskedConnections): Promise<KnownPlace[]> {
  const places: KnownPlace[] = [];
  for (const ipAddresses of chunksOf(addresses, ADDRESSES)) {
    const interfaces = await storage.interfaces.findByIdentity(scope, { macAddresses: [], ipAddresses });
    const hostIds = [...new Set(interfaces.map(({ host_id }) => host_id))];
    const names = await namesOf(storage, scope, hostIds);
    const portsOf = await portsOn(storage, scope, hostIds, new Set(ports));
    const addressesOf = new Map<string, [string, string][]>();
    for (const { host_id, ip_address, id } of interfaces) putUnder(addressesOf, host_id, [ip_address, id]);
    for (const [id, name] of names)
      places.push({
        ...{ id, name },
        interfaceOf: new Map(addressesOf.get(id)),
        ports: portsOf.get(id) ?? [],
        containers: new Map(),
      });
  }
  return places;
}

async function portsOn(
  { ports, bindings, services }: Storage,
  scope: Scope,
  hostIds: readonly string[],
  texts: ReadonlySet<string>,
): Promise<ReadonlyMap<string, KnownPlace["ports"][number][]>> {
  const found = new Map<string, KnownPlace["ports"][number][]>();
  if (hostIds.length === 0 || texts.size === 0) return found;
  const numbers = [...new Set([...texts].map((text) => Number(text.split("/", 1)[0])))];
  const filter = { ...ports.within(scope), host_id: { $in: [...hostIds] }, number: { $in: numbers } };
  const portOf = new Map<string, { readonly hostId: string; readonly text: string }>();
  for await (const batch of ports.readStored(scope, { filter, hint: HOST_PORTS_INDEX, maxTimeMS: FOREVER }))
    for (const { entity } of batch)
      if (texts.has(portText(entity))) portOf.set(entity.id, { hostId: entity.host_id, text: portText(entity) });
  const bound = await boundTo(bindings, scope, [...portOf.keys()]);
  const serviceIds = [...new Set([...bound.values()].flat().map(({ id }) => id))];
  const nameOf = new Map<string, string>();
  for (const some of chunksOf(serviceIds, ADDRESSES))
    for (const { _id, name } of await services.select(
      scope,
      { _id: { $in: [...some] } },
      { projection: { name: 1 }, hint: BY_ID },
    ))
      nameOf.set(_id, String(name));
  for (const [id, { hostId, text }] of portOf) {
    const there = (bound.get(id) ?? []).flatMap((one) => {
      const name = nameOf.get(one.id);
      return name === undefined ? [] : [{ ...one, name, isNew: false }];
    });
    putUnder(found, hostId, { id, isNew: false, text, services: there });
  }
  return found;
}

async function boundTo(
  { select }: Storage["bindings"],
  scope: Scope,
  portIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly id: string; readonly interfaceId: string | null }[]>> {
  const bound = new Map<string, { readonly id: string; readonly interfaceId: string | null }[]>();
  const options = { projection: { port_id: 1, service_id: 1, interface_id: 1 }, hint: BINDING_INDEXES.port_id };
  for (const some of chunksOf(portIds, ADDRESSES))
    for (const found of await select(scope, { port_id: { $in: [...some] } }, options)) {
      const { port_id, service_id, interface_id } = found as Document;
      putUnder(bound, String(port_id), {
        id: String(service_id),
        interfaceId: (interface_id as string | null | undefined) ?? null,
      });
    }
  return bound;
}

/** Writes what is new or changed; what is refused is tried in halves, so that in the end only what is at fault fails. */
async function written(connecting: Connecting, planned: readonly PlannedDependency[]): Promise<ImportedDependency[]> {
  const refusedBy = new Map<PlannedDependency, AppError>();
  let last: AppError | null = null;
  const writeAll = async (some: readonly PlannedDependency[]): Promise<void> => {
    if (some.length === 0) return;
    if (last !== null && (refusedBy.size >= MOST_REFUSED || last.code === "unavailable")) {
      for (const one of some) refusedBy.set(one, last);
      return;
    }
    try {
      await writeTogether(connecting, some);
    } catch (error) {
      const fault = connecting.faultOf(error);
      const [first, ...more] = some;
      if (first !== undefined && more.length === 0) {
        refusedBy.set(first, fault);
        last = fault;
        return;
      }
      const half = Math.ceil(some.length / 2);
      await writeAll(some.slice(0, half));
      await writeAll(some.slice(half));
    }
  };
  const changed = planned.filter(({ action }) => action !== "unchanged");
  for (const some of chunksOf(changed, TOGETHER)) await writeAll(some);
  return planned.map((one) => {
    const fault = refusedBy.get(one);
    if (fault === undefined) return one.result;
    const id = one.before?.entity.id ?? null;
    // Somebody else has made it meanwhile.
    if (fault.code === "already_exists") return { ...one.result, id, action: "unchanged" };
    return { ...one.result, id, action: "failed", error: reasonOf(fault) };
  });
}

/** A refusal with what it says of the values, if that is why. */
function reasonOf(fault: AppError): ReturnType<typeof refusalOf> {
  const [first] = (fault.params["errors"] ?? []) as readonly { readonly message?: string }[];
  return { ...refusalOf(fault), ...(first?.message !== undefined && { message: first.message }) };
}

async function writeTogether(
  { storage, target, atMs, by, look }: Connecting,
  some: readonly PlannedDependency[],
): Promise<void> {
  const { work, scope, networkId } = target;
  await look();
  await storage.quota.require(scope);
  const created = some.flatMap(({ action, entity }) => (action === "create" ? [entity] : []));
  const changed = changesOf(
    some.flatMap(({ before, entity }) => (before === null ? [] : [{ before, entity }])),
    new Date(),
  );
  const first = isWrittenByHand(by) ? {} : firstSighting({ atMs, by });
  await refusingDuplicates(() =>
    storage.transaction(work, importKeys(networkId), async (tx) => {
      await storage.database.turn(tx, scope, some.length);
      await store(storage, tx, scope, { changes: { dependencies: { created, changed } }, more: () => first });
    }),
  );
}
