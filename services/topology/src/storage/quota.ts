import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "./database.js";
import { scopedCollection } from "./scoped-collection.js";
import { COUNTED, type GuardDocument, SHARDS } from "./guards.js";

// An organization's total is the sum of the counters that its guards carry. A process relies on what it has read for a
// second while there is more room than all processes can fill in a second; with less, each create reads, and creates of one
// moment share a read. So the total exceeds the maximum by no more than what is being created at the same moment.

const KNOWN_MS = 1_000;
/** Entities; with less room than this the total is read for each create. */
const AMPLE_ROOM = 100_000;
/** Organizations that are remembered. */
const MOST_KNOWN = 10_000;

/** The maximum unless it is set otherwise. */
export const DEFAULT_MAX_ENTITIES = 1_000_000;

export interface Quota {
  /** @throws AppError `quota_exceeded` when the organization has as many entities as it may have */
  require(scope: Scope): Promise<void>;
}

interface Sum {
  readonly counted: number;
  readonly guards: number;
}

interface Known {
  readonly total: number;
  /** As `performance.now()`. */
  readonly untilMs: number;
}

/** @param limit entities of an organization, of all kinds together */
export function createQuota({ db, share }: Database, limit: number): Quota {
  const guards = scopedCollection<GuardDocument>(db, "guards");
  const known = new Map<string, Known>();
  const reading = new Map<string, Promise<Known>>();
  const counted = COUNTED.map((kind) => ({ $ifNull: [`$counts.${kind}`, 0] }));
  const sums = { $group: { _id: null, counted: { $sum: { $add: counted } }, guards: { $sum: 1 } } };

  async function read(organization_id: string): Promise<Known> {
    const begunMs = performance.now();
    const match = { $match: { organization_id, kind: { $in: ["network", "tag"] } } };
    const summed = (): Promise<Sum[]> => guards.aggregate<Sum>([match, sums]).toArray();
    const [sum] = await share({ organizationId: organization_id }, summed);
    // Networks and tags are told by their guards.
    const total = (sum?.counted ?? 0) + (sum?.guards ?? 0) / SHARDS;
    const found = { total, untilMs: limit - total > AMPLE_ROOM ? begunMs + KNOWN_MS : begunMs };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(organization_id, found);
    return found;
  }

  function readOnce(organizationId: string): Promise<Known> {
    const begun = reading.get(organizationId) ?? read(organizationId).finally(() => reading.delete(organizationId));
    reading.set(organizationId, begun);
    return begun;
  }

  return {
    require: async ({ organizationId }) => {
      const remembered = known.get(organizationId);
      const isFresh = remembered !== undefined && performance.now() < remembered.untilMs;
      const { total } = isFresh ? remembered : await readOnce(organizationId);
      if (total >= limit) throw new AppError("quota_exceeded", { entity: "Entity", limit });
    },
  };
}
