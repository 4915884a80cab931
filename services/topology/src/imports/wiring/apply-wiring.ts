import type { HostRecord, ImportedLink, ImportedVlan, Link } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { chunksOf } from "@nts/shared/groups";
import type { Scope } from "@nts/shared/http/tenancy";
import { hostKind } from "../../kinds/host.js";
import { linkKind } from "../../kinds/link.js";
import { vlanKind } from "../../kinds/vlan.js";
import { BY_ID, HOST_LINKS_INDEX } from "../../storage/indexes.js";
import { STORED } from "../../storage/entity-reader.js";
import type { Storage } from "../../storage/storage.js";
import { UNMANAGED } from "../../values/unmanaged.rules.js";
import { storeAsImport, type Target } from "../apply.js";
import type { ReadFile } from "../session.js";
import type { Remote } from "../thread.js";
import { factsOfHost, type HostFacts } from "./machines.js";
import {
  importedLink,
  importedVlan,
  type NewHub,
  type PlannedLink,
  type PlannedVlan,
  type World,
} from "./plan.rules.js";

// Links of an import, after its hosts: looked up, planned in the thread, and written in batches.

/** Hosts whose links, and links, that are read or written together. */
const HOSTS_TOGETHER = 500;
const LINKS_TOGETHER = 100;
/** Of the hosts at the ends; with more, none are imported. */
const MOST_EXISTING = 50_000;

interface Wiring {
  readonly storage: Storage;
  readonly session: Remote;
  readonly target: Target;
  readonly isDry: boolean;
  readonly attempt: <T>(work: () => Promise<T>) => Promise<T | AppError>;
  readonly isStopped: () => boolean;
  /** Called before something is written. */
  readonly look: () => Promise<void>;
}

type Several<T> = Iterable<T> | AsyncIterable<T>;

/** What became of the links of a file. */
export interface WiringResult {
  readonly vlans: Several<ImportedVlan>;
  readonly links: Several<ImportedLink & { readonly newSwitches: number }>;
  readonly skipped: readonly { readonly line: number; readonly what: string; readonly reason: string }[];
}

/** Finds and writes links. */
export async function wire(given: Wiring, { devices }: Pick<ReadFile, "devices">): Promise<WiringResult> {
  const none: WiringResult = { vlans: [], links: [], skipped: [] };
  if (given.isStopped()) return none;
  if (!given.isDry) {
    const noted = await given.attempt(async () => noteCards(given.storage, given.target, await given.session.cards()));
    if (noted instanceof AppError)
      return { ...none, skipped: [{ line: 1, what: "MAC addresses without an address", reason: noted.message }] };
  }
  if (devices === 0) return none;
  const planned = await given.attempt(() => planFor(given));
  if (planned instanceof AppError)
    return { ...none, skipped: [{ line: 1, what: "links", reason: `they could not be read: ${planned.message}` }] };
  const { plan, facts } = planned;
  const failed = new Set<string>();
  return {
    vlans: vlansDone(given, plan.vlans, failed),
    links: linksDone(given, plan.links, { facts, failed }),
    skipped: plan.skipped,
  };
}

async function planFor({ storage, session, target }: Wiring) {
  const { scope } = target;
  for (let batch = 0; ; batch++) {
    const macs = await session.wiredMacs(batch);
    if (macs === null) break;
    const interfaces = await storage.interfaces.findByIdentity(scope, { macAddresses: [...macs], ipAddresses: [] });
    await session.recognizeWired(interfaces, await storage.hosts.findByLostMacs(scope, macs));
  }
  const stored: HostFacts[] = [];
  for (const ids of chunksOf(await session.wiredHosts(), HOSTS_TOGETHER))
    stored.push(...(await factsOf(storage, scope, ids)));
  const hostIds = await session.resolve(stored);
  const there = await thereOf(storage, scope, hostIds);
  const known = new Set(stored.map(({ id }) => id));
  const ends = new Set(there.links.flatMap((link) => link.ends.map(({ host_id }) => host_id)));
  for (const ids of chunksOf(
    [...ends].filter((id) => !known.has(id)),
    HOSTS_TOGETHER,
  ))
    stored.push(...(await factsOf(storage, scope, ids)));
  const plan = await session.planLinks(there, stored);
  const facts = new Map(await session.factsOfNew());
  for (const one of stored) facts.set(one.id, one);
  return { plan, facts };
}

/** Keeps the MAC addresses by which devices are recognized the next time. */
async function noteCards(
  storage: Storage,
  { work, scope }: Target,
  cards: readonly (readonly [hostId: string, macs: readonly string[]])[],
): Promise<void> {
  for (const some of chunksOf(cards, LINKS_TOGETHER))
    await storage.transaction(
      work,
      some.map(([id]) => id),
      async (tx) => {
        for (const [id, macs] of some) await storage.hosts.cardsSeen(tx, scope, id, macs);
      },
    );
}

async function factsOf({ hosts }: Storage, scope: Scope, ids: readonly string[]): Promise<HostFacts[]> {
  const found = await hosts.select(scope, { _id: { $in: [...ids] } }, { projection: STORED, hint: BY_ID });
  return found.map((document) => factsOfHost(hosts.storedIn(document, scope).entity));
}

/** What exists at the hosts, and the VLANs of the network. */
async function thereOf(
  { links, interfaces, vlans }: Storage,
  scope: Scope,
  hostIds: readonly string[],
): Promise<Pick<World, "links" | "interfaces" | "vlans">> {
  const found = new Map<string, Link>();
  const cards: World["interfaces"][number][] = [];
  for (const ids of chunksOf(hostIds, HOSTS_TOGETHER)) {
    const at = { host_id: { $in: ids } };
    for (const document of await links.select(scope, at, { projection: STORED, hint: HOST_LINKS_INDEX })) {
      const { entity } = links.storedIn(document, scope);
      found.set(entity.id, entity);
    }
    for (const document of await interfaces.select(scope, at, { projection: STORED })) {
      const { id, host_id, name, mac_address } = interfaces.storedIn(document, scope).entity;
      cards.push({ id, host_id, name, mac_address });
    }
    if (found.size + cards.length > MOST_EXISTING) throw new AppError("too_many_changes", { limit: MOST_EXISTING });
  }
  const known = await vlans.select(scope, {}, { projection: STORED });
  return {
    links: [...found.values()],
    interfaces: cards,
    vlans: known.map((document) => {
      const { id, vid, name } = vlans.storedIn(document, scope).entity;
      return { id, vid, name };
    }),
  };
}

/** @param failed receives the ids of those that do not exist */
async function* vlansDone(
  { storage, target, isDry, attempt, look }: Wiring,
  planned: readonly PlannedVlan[],
  failed: Set<string>,
): AsyncGenerator<ImportedVlan> {
  const { networkId } = target;
  const now = new Date().toISOString();
  const created = planned
    .filter(({ isNew }) => isNew)
    .map(({ id, vid, name }) =>
      vlanKind.make({ vid, name, tags: [] }, { id, created_at: now, updated_at: now, network_id: networkId }),
    );
  if (created.length > 0 && !isDry) {
    await look();
    const fault = await attempt(() => storeAsImport(storage, target, { vlans: { created } }));
    if (fault instanceof AppError) for (const { id } of created) failed.add(id);
  }
  for (const vlan of planned) if (!failed.has(vlan.id)) yield importedVlan(vlan, isDry);
}

interface Known {
  readonly facts: ReadonlyMap<string, HostFacts>;
  /** Ids of VLANs that could not be created. */
  readonly failed: ReadonlySet<string>;
}

async function* linksDone(
  wiring: Wiring,
  planned: readonly PlannedLink[],
  { facts, failed }: Known,
): AsyncGenerator<ImportedLink & { newSwitches: number }> {
  const { isDry } = wiring;
  for (const batch of batchesOf(planned)) {
    if (wiring.isStopped()) return;
    const links = batch.map((link) => ({ ...link, vlan_ids: link.vlan_ids.filter((id) => !failed.has(id)) }));
    const faults = isDry ? new Map<string, AppError>() : await written(wiring, links);
    const told = new Set<string>();
    for (const link of links) {
      const fault = faults.get(link.id);
      const error = fault === undefined ? null : { code: fault.code, message: fault.message };
      const fresh = link.hubs.filter(({ id }) => error === null && !told.has(id));
      for (const { id } of fresh) told.add(id);
      yield { ...importedLink(link, { facts, isDry, error }), newSwitches: fresh.length };
    }
  }
}

/** Those with a new unmanaged switch are written together. */
function* batchesOf(planned: readonly PlannedLink[]): Generator<PlannedLink[]> {
  let batch: PlannedLink[] = [];
  for (const [place, link] of planned.entries()) {
    const isSameHub = link.hubs.length > 0 && link.hubs[0] === planned[place - 1]?.hubs[0];
    if (batch.length >= LINKS_TOGETHER && !isSameHub) {
      yield batch;
      batch = [];
    }
    batch.push(link);
  }
  if (batch.length > 0) yield batch;
}

/** Writes links; a batch that fails in two, so that in the end only what is at fault fails. @returns faults by link */
async function written(wiring: Wiring, links: readonly PlannedLink[]): Promise<ReadonlyMap<string, AppError>> {
  const faults = new Map<string, AppError>();
  const write = async (some: readonly PlannedLink[]): Promise<void> => {
    const changes = some.filter(({ action }) => action !== "unchanged");
    if (changes.length === 0) return;
    await wiring.look();
    const fault = await wiring.attempt(() => writeLinks(wiring, changes));
    if (!(fault instanceof AppError)) return;
    const groups = [...batchesOfHubs(changes)];
    if (groups.length === 1) for (const { id } of changes) faults.set(id, fault);
    else {
      const half = Math.ceil(groups.length / 2);
      for (const part of [groups.slice(0, half), groups.slice(half)]) await write(part.flat());
    }
  };
  await write(links);
  return faults;
}

/** Links that only exist together. */
function batchesOfHubs(links: readonly PlannedLink[]): PlannedLink[][] {
  const groups = new Map<string, PlannedLink[]>();
  for (const link of links) {
    const key = link.hubs[0]?.id ?? link.id;
    groups.set(key, [...(groups.get(key) ?? []), link]);
  }
  return [...groups.values()];
}

async function writeLinks({ storage, target }: Wiring, planned: readonly PlannedLink[]): Promise<void> {
  const { networkId } = target;
  const now = new Date();
  const at = now.toISOString();
  const source = { type: "Discovery" };
  const made = { created_at: at, updated_at: at, network_id: networkId };
  const hubs = new Map(planned.flatMap((link) => link.hubs.map((hub) => [hub.id, hub] as const)));
  const created = planned
    .filter(({ action }) => action === "create")
    .map(({ id, kind, ends, speed_mbps, vlan_ids }) =>
      linkKind.make({ kind, ends: [...ends], speed_mbps, vlan_ids: [...vlan_ids], tags: [] }, { id, ...made, source }),
    );
  const updates = new Map(planned.filter(({ action }) => action === "update").map((link) => [link.id, link]));
  await storeAsImport(storage, target, {
    hosts: { created: [...hubs.values()].map((hub) => hostOfHub(hub, { ...made, source })) },
    links: { created },
    updated: {
      ids: [...updates.keys()],
      now,
      next: (link) => {
        const { ends, speed_mbps, vlan_ids } = updates.get(link.id) ?? link;
        return { ...link, ends: [...ends], speed_mbps, vlan_ids: [...vlan_ids] };
      },
    },
  });
}

function hostOfHub({ id, name }: NewHub, server: Omit<Parameters<typeof hostKind.make>[1], "id">): HostRecord {
  const body = { name, role: "Switch", attributes: { [UNMANAGED]: true }, is_known: false, tags: [] } as const;
  return hostKind.make({ ...body, tags: [] }, { ...server, id });
}
