import { setTimeout as delay } from "node:timers/promises";
import type { Collection } from "mongodb";
import type { Hidden, Scope } from "@nts/shared/http/tenancy";
import type { Database } from "./database.js";
import {
  createDeletionRecords,
  type DeletionDocument,
  type DeletionRecords,
  openDeletions,
} from "./deletion-records.js";
import { scopedCollection } from "./scoped-collection.js";

// A small write hides everything, and a sweep deletes it later. What is hidden is cached for at most LEASE_MS, and the
// response waits for older caches to expire: reads need no extra round trip and see nothing hidden after it.

/** Milliseconds for which the cache is valid, from the time of the request. */
const LEASE_MS = 200;
/** Milliseconds after the write until all processes know of it, including clock drift. */
const KNOWN_EVERYWHERE_MS = 250;

export interface Deletions extends DeletionRecords {
  /** The scope without what is hidden; a promise only if it must be loaded. */
  visible(scope: Scope): Scope | Promise<Scope>;
  /** Waits, after the commit, until no process can return hidden entities. */
  known(): Promise<void>;
}

interface HiddenOfOrganization extends Hidden {
  readonly networks: ReadonlySet<string>;
  /** The organization itself is deleted. */
  readonly isWhole: boolean;
}

/** By organization. */
type AllHidden = ReadonlyMap<string, HiddenOfOrganization>;

interface Knowledge {
  readonly hidden: AllHidden;
  /** Time of the request on a clock that stops while suspended, and on one that may be adjusted. */
  readonly readAt: readonly [monotonicMs: number, wallMs: number];
}

type Known = Pick<DeletionDocument, "_id" | "kind" | "organization_id" | "deleted_at">;

export function createDeletions(database: Database): Deletions {
  const { db } = database;
  const knowledge = createKnowledge(createReading(openDeletions(db)));
  const without = createScopeCut(database);
  return {
    ...createDeletionRecords(db),
    visible: (scope) => {
      const hidden = knowledge.present();
      if (hidden instanceof Promise) return hidden.then((all) => without(scope, all));
      return hidden.has(scope.organizationId) || scope.hidden !== undefined ? without(scope, hidden) : scope;
    },
    known: async () => {
      await Promise.all([knowledge.askAgain(), delay(KNOWN_EVERYWHERE_MS)]);
    },
  };
}

/** The process' cache of hidden entities, refreshed before it expires. */
function createKnowledge(read: () => Promise<AllHidden>) {
  let known: Knowledge = { hidden: new Map(), readAt: [-Infinity, -Infinity] };
  let asking: Promise<Knowledge> | null = null;

  async function ask(): Promise<Knowledge> {
    const readAt = [performance.now(), Date.now()] as const;
    const hidden = await read();
    if (readAt[0] > known.readAt[0]) known = { hidden, readAt };
    return known;
  }

  function askOnce(): Promise<Knowledge> {
    asking ??= ask().finally(() => (asking = null));
    return asking;
  }

  const ageMs = ({ readAt: [monotonicMs, wallMs] }: Knowledge): number =>
    Math.max(performance.now() - monotonicMs, Math.abs(Date.now() - wallMs));

  async function current(): Promise<AllHidden> {
    const startedMs = performance.now();
    for (;;) {
      const knowledge = await askOnce();
      // Requests since the start of the call are recent enough, however long the response took.
      if (knowledge.readAt[0] >= startedMs || ageMs(knowledge) < LEASE_MS) return knowledge.hidden;
    }
  }

  return {
    present: (): AllHidden | Promise<AllHidden> => {
      const age = ageMs(known);
      if (age >= LEASE_MS) return current();
      // Refreshed early, so that a busy process never waits.
      if (age > LEASE_MS / 2) askOnce().catch(() => undefined);
      return known.hidden;
    },
    /** After the pending request, which may be older. */
    askAgain: async (): Promise<void> => {
      await askOnce().then(askOnce);
    },
  };
}

/** Creates the function that removes hidden entities from a scope. */
function createScopeCut({ db, share }: Database): (scope: Scope, hidden: AllHidden) => Scope | Promise<Scope> {
  const networks = scopedCollection<{ _id: string; organization_id: string }>(db, "networks");

  async function living(organizationId: string): Promise<string[]> {
    const found = await share({ organizationId }, () =>
      networks.find({ organization_id: organizationId }, { projection: { _id: 1 } }).toArray(),
    );
    return found.map(({ _id }) => _id);
  }

  return (scope, hidden) => {
    const { hidden: before, ...own } = scope;
    const { organizationId, networks: all } = own;
    const gone = hidden.get(organizationId);
    if (gone === undefined) return before === undefined ? scope : own;
    if (gone.isWhole) return { ...own, networks: [] };
    const { hosts, tags } = gone;
    const more = hosts.size + tags.size > 0 ? { hidden: { hosts, tags } } : {};
    const cut = (ids: readonly string[]): Scope => ({
      ...own,
      networks: ids.filter((id) => !gone.networks.has(id)),
      ...more,
    });
    if (gone.networks.size === 0) return { ...own, ...more };
    return all === "all" ? living(organizationId).then(cut) : cut(all);
  };
}

/** Reads what is hidden. The ids of a deletion never change, so they are read once and merged. */
function createReading(collection: Collection<DeletionDocument>): () => Promise<AllHidden> {
  let idsOf = new Map<string, readonly string[]>();
  let last = { key: "", hidden: new Map() as AllHidden };
  return async () => {
    const projection = { kind: 1, organization_id: 1, deleted_at: 1 } as const;
    const found: Known[] = await collection.find({}, { projection }).sort({ _id: 1 }).toArray();
    const key = found.map(({ _id }) => _id).join();
    if (key === last.key) return last.hidden;
    const unread = found.filter(({ _id, kind }) => kind !== "network" && !idsOf.has(_id)).map(({ _id }) => _id);
    const read = unread.length === 0 ? [] : await collection.find({ _id: { $in: unread } }).toArray();
    const all = new Map([...idsOf, ...read.map(({ _id, ids = [] }) => [_id, ids] as const)]);
    idsOf = new Map(found.map(({ _id, kind }) => [_id, kind === "network" ? [_id] : (all.get(_id) ?? [])]));
    last = { key, hidden: byOrganization(found, idsOf) };
    return last.hidden;
  };
}

function byOrganization(found: readonly Known[], idsOf: ReadonlyMap<string, readonly string[]>): AllHidden {
  const organizations = new Set(found.filter(({ kind }) => kind === "organization").map(({ _id }) => _id));
  const hidden = new Map<
    string,
    { networks: Set<string>; hosts: Set<string>; tags: Map<string, Date>; isWhole: boolean }
  >();
  for (const { _id, kind, organization_id, deleted_at } of found) {
    const mine = hidden.get(organization_id) ?? {
      networks: new Set(),
      hosts: new Set(),
      tags: new Map<string, Date>(),
      isWhole: organizations.has(organization_id),
    };
    hidden.set(organization_id, mine);
    for (const id of idsOf.get(_id) ?? []) {
      if (kind === "network") mine.networks.add(id);
      else if (kind === "hosts") mine.hosts.add(id);
      else mine.tags.set(id, deleted_at);
    }
  }
  return hidden;
}
