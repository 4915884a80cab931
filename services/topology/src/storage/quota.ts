import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { SharedReads } from "@nts/shared/shared-reads";
import type { Database } from "./database.js";
import type { EntityDocument } from "./entities.js";
import { COUNTED, type GuardDocument, SHARDS } from "./guards.js";
import { FEW_INDEX, GUARD_INDEX } from "./indexes.js";
import { scopedCollection } from "./scoped-collection.js";

// An organization's total is the sum of the counters that the guards of its networks carry. A process relies on what it has read
// for a second while there is more room than all processes can fill in a second; with less, each create reads, and creates of
// one moment share a read. So the total exceeds the maximum by no more than what is being created at the same moment.

const KNOWN_MS = 1_000;
/** Entities; with less room than this the total is read for each create. */
const AMPLE_ROOM = 100_000;
/** Organizations that are remembered. */
const MOST_KNOWN = 10_000;

/** What an organization may have. */
export interface Quotas {
  /** Of all kinds together. */
  readonly entities: number;
  /** Networks and tags are few: lists sort them in memory, and totals add up what each network counts. */
  readonly networks: number;
  readonly tags: number;
}

/** The maxima unless they are set otherwise. */
export const DEFAULT_QUOTAS: Quotas = { entities: 1_000_000, networks: 5_000, tags: 10_000 };

/** What has a maximum of its own. */
const NAMES = { networks: "Network", tags: "Tag" } as const;
type Few = keyof typeof NAMES;

export interface Quota {
  /**
   * @param few what is created, where that has a maximum of its own
   * @throws AppError `quota_exceeded` when the organization has as many entities as it may have
   */
  require(scope: Scope, few?: Few): Promise<void>;
}

interface Known {
  readonly total: number;
  /** As `performance.now()`. */
  readonly untilMs: number;
}

export function createQuota({ db, share }: Database, reads: SharedReads, limits: Quotas): Quota {
  const guards = scopedCollection<GuardDocument>(db, "guards");
  const known = new Map<string, Known>();
  const counted = COUNTED.map((kind) => ({ $ifNull: [`$counts.${kind}`, 0] }));
  const sums = { $group: { _id: null, counted: { $sum: { $add: counted } }, guards: { $sum: 1 } } };

  function countOf(organization_id: string, few: Few): Promise<number> {
    return scopedCollection<EntityDocument>(db, few).countDocuments({ organization_id }, { hint: FEW_INDEX });
  }

  async function read(organization_id: string): Promise<Known> {
    const begunMs = performance.now();
    const match = { $match: { organization_id, kind: "network" } };
    const hint = GUARD_INDEX;
    const [sum] = await guards.aggregate<{ counted: number; guards: number }>([match, sums], { hint }).toArray();
    // Networks are told by their guards.
    const total = (sum?.counted ?? 0) + (sum?.guards ?? 0) / SHARDS + (await countOf(organization_id, "tags"));
    const found = { total, untilMs: limits.entities - total > AMPLE_ROOM ? begunMs + KNOWN_MS : begunMs };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(organization_id, found);
    return found;
  }

  function readShared(organizationId: string): Promise<Known> {
    return reads.read(organizationId, "quota", () => share({ organizationId }, () => read(organizationId)));
  }

  return {
    require: async ({ organizationId }, few) => {
      const remembered = known.get(organizationId);
      const isFresh = remembered !== undefined && performance.now() < remembered.untilMs;
      const { total } = isFresh ? remembered : await readShared(organizationId);
      if (total >= limits.entities) throw new AppError("quota_exceeded", { entity: "Entity", limit: limits.entities });
      if (few === undefined) return;
      const count = await share({ organizationId }, () => countOf(organizationId, few));
      if (count >= limits[few]) throw new AppError("quota_exceeded", { entity: NAMES[few], limit: limits[few] });
    },
  };
}
