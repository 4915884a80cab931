import { requireRoomFor, UNVERIFIED_QUOTAS } from "@nts/shared/quotas";
import type { Scope } from "@nts/shared/http/tenancy";
import type { QueuedRead } from "@nts/shared/scheduling/queued-reads";
import { ENTITY_KINDS } from "../kinds/index.js";
import type { Database } from "./database.js";
import type { EntityDocument } from "./entities.js";
import { COUNTED, type GuardDocument, SHARDS } from "./guards.js";
import { SMALL_COLLECTION_INDEX, GUARD_INDEX } from "./indexes.js";
import { scopedCollection } from "./scoped-collection.js";

// An organization's total is the sum of its guards' counters. It is cached for a second while far from the maximum;
// near it, each creation reads it, shared among concurrent ones. So only concurrent creations can exceed the maximum.

const KNOWN_MS = 1_000;
/** Entities; with less room than this, each creation reads the total. */
const AMPLE_ROOM = 100_000;
/** Organizations in the cache. */
const MOST_KNOWN = 10_000;

/** Maximum numbers for an organization. */
export interface Quotas {
  /** Entities of all kinds. */
  readonly entities: number;
  /** Networks and tags are few: lists sort them in memory, and totals are summed per network. */
  readonly networks: number;
  readonly tags: number;
  /** Views are few and large. */
  readonly views: number;
}

/** The default maximums. */
export const DEFAULT_QUOTAS: Quotas = { entities: 1_000_000, networks: 5_000, tags: 10_000, views: 1_000 };

/** Kinds with a maximum of their own. */
export const LIMITED = ["networks", "tags", "views"] as const;
type LimitedKind = (typeof LIMITED)[number];

export interface Quota {
  /**
   * @param kind the created kind, if it has a maximum of its own
   * @returns how many entities there is room for
   * @throws AppError `quota_exceeded` · `owner_unverified` if the organization has reached its maximum
   */
  require(scope: Scope, kind?: LimitedKind): Promise<number>;
}

interface Known {
  readonly total: number;
  /** As `performance.now()`. */
  readonly untilMs: number;
}

export function createQuota({ db, share }: Database, readOnce: QueuedRead, limits: Quotas): Quota {
  const guards = scopedCollection<GuardDocument>(db, "guards");
  const known = new Map<string, Known>();
  const counted = COUNTED.map((kind) => ({ $ifNull: [`$counts.${kind}`, 0] }));
  const sums = { $group: { _id: null, counted: { $sum: { $add: counted } }, guards: { $sum: 1 } } };

  function countOf(organization_id: string, kind: LimitedKind): Promise<number> {
    return scopedCollection<EntityDocument>(db, kind).countDocuments(
      { organization_id },
      { hint: SMALL_COLLECTION_INDEX },
    );
  }

  async function read(organization_id: string): Promise<Known> {
    const startedMs = performance.now();
    const match = { $match: { organization_id, kind: "network" } };
    const hint = GUARD_INDEX;
    const [sum] = await guards.aggregate<{ counted: number; guards: number }>([match, sums], { hint }).toArray();
    // Networks are counted by their guards; the few views of the whole organization are not.
    const total = (sum?.counted ?? 0) + (sum?.guards ?? 0) / SHARDS + (await countOf(organization_id, "tags"));
    const found = { total, untilMs: limits.entities - total > AMPLE_ROOM ? startedMs + KNOWN_MS : startedMs };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(organization_id, found);
    return found;
  }

  function readShared(organizationId: string): Promise<Known> {
    return readOnce(organizationId, "quota", () => share({ organizationId }, () => read(organizationId)));
  }

  return {
    require: async ({ organizationId, isUnverified }, kind) => {
      const remembered = known.get(organizationId);
      // The small maximum of an unverified organization is never far.
      const isFresh = !isUnverified && remembered !== undefined && performance.now() < remembered.untilMs;
      const { total } = isFresh ? remembered : await readShared(organizationId);
      const unverified = UNVERIFIED_QUOTAS;
      const ofAll = { entity: "Entity", limit: limits.entities, unverified: unverified.entities };
      const room = requireRoomFor(total, ofAll, isUnverified);
      if (kind === undefined) return room;
      const count = await share({ organizationId }, () => countOf(organizationId, kind));
      const ofKind = { entity: ENTITY_KINDS[kind].name, limit: limits[kind], unverified: unverified[kind] };
      return requireRoomFor(count, ofKind, isUnverified);
    },
  };
}
