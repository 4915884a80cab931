import type { ClientSession, Collection, Db } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { newId } from "@nts/shared/ids";
import { createNote, type Note, signed } from "./authorship.js";

// One record per deletion that did not fit a transaction: written when decided, read by everyone who must not see
// hidden entities, and removed long after the sweep. Sweeps process all organizations.

/** Maximum entities deleted or changed by one transaction; more would take longer than others can wait. */
export const AT_ONCE = 500;

/** A hidden or recently swept deletion. */
export interface DeletionDocument {
  /** Id of the network or organization; for hosts and tags, which are deleted together, a new one. */
  _id: string;
  kind: "network" | "hosts" | "tags" | "organization";
  organization_id: string;
  /** The author; absent for an organization. */
  by?: string;
  /** Ids of the hosts or tags. */
  ids?: readonly string[];
  /** In database time. */
  deleted_at: Date;
  /** When everything was deleted. */
  swept_at?: Date;
  /** True if the journal has entries for everything hidden. */
  journaled?: boolean;
  /** True if the notice of the deletion was sent. */
  announced?: boolean;
}

export interface DeletionRecords {
  /** Hides networks when the transaction commits. @throws AppError `not_found` if one is already hidden */
  hideNetworks(tx: ClientSession, organizationId: string, ids: readonly string[]): Promise<void>;
  /** Hides deleted hosts' children, or tags on their carriers, when the transaction commits. @returns its id */
  hide(tx: ClientSession, organizationId: string, kind: "hosts" | "tags", ids: readonly string[]): Promise<string>;
  /** Hides everything of an organization when the transaction commits, unless already hidden. */
  hideOrganization(tx: ClientSession, organizationId: string): Promise<void>;
  /** Existing records of some networks, hosts or tags. */
  unfinished(tx: ClientSession, organizationId: string, ids: readonly string[]): Promise<string[]>;
  /** Marks the notices of these deletions as sent. */
  markAnnounced(organizationIds: readonly string[], ids: readonly string[]): Promise<void>;
  /** Number of records, and of those to be swept. */
  count(): Promise<{ all: number; unswept: number }>;
  /** Unswept ones without a notice, this many milliseconds after they were hidden; oldest first. */
  unannounced(agedMs: number): Promise<DeletionDocument[]>;
  /**
   * Those that are to be swept, oldest first: journaled, or so old that they do not wait for the journal any more. Times are
   * milliseconds since they were hidden, by the clock of the database.
   */
  unswept(agedMs: number, unrecordedMs: number): Promise<DeletionDocument[]>;
  /** Marks a sweeping transaction for the journal. */
  readonly note: Note;
  /** Those swept at least this many milliseconds ago. */
  swept(agedMs: number): Promise<DeletionDocument[]>;
  markSwept(deletion: DeletionDocument): Promise<void>;
  forget(deletion: DeletionDocument): Promise<void>;
}

export function openDeletions(db: Db): Collection<DeletionDocument> {
  return db.collection("deletions");
}

export function createDeletionRecords(db: Db): DeletionRecords {
  const collection = openDeletions(db);
  return {
    ...createHiding(collection),
    unfinished: async (tx, organization_id, ids) => {
      const found = await collection.find({ organization_id }, { session: tx, projection: { ids: 1 } }).toArray();
      const hidden = new Set(found.flatMap(({ _id, ids: mine = [] }) => [_id, ...mine]));
      return ids.filter((id) => hidden.has(id));
    },
    markAnnounced: async (organizationIds, ids) => {
      const decided = { organization_id: { $in: [...organizationIds] }, _id: { $in: [...ids] } };
      await collection.updateMany(decided, { $set: { announced: true } });
    },
    count: async () => {
      const found = await collection.find({}, { projection: { swept_at: 1 } }).toArray();
      return { all: found.length, unswept: found.filter(({ swept_at }) => swept_at === undefined).length };
    },
    unannounced: (agedMs) => {
      const due = { swept_at: { $exists: false }, announced: { $exists: false }, ...aged("deleted_at", agedMs) };
      return collection.find(due).sort({ deleted_at: 1 }).toArray();
    },
    unswept: (agedMs, unrecordedMs) => {
      const isDue = { $or: [{ journaled: true }, aged("deleted_at", unrecordedMs)] };
      const due = { swept_at: { $exists: false }, ...aged("deleted_at", agedMs), ...isDue };
      return collection.find(due).sort({ deleted_at: 1 }).toArray();
    },
    note: createNote(db),
    swept: (agedMs) => collection.find({ swept_at: { $exists: true }, ...aged("swept_at", agedMs) }).toArray(),
    markSwept: async ({ _id }) => {
      await collection.updateOne({ _id }, { $currentDate: { swept_at: true } });
    },
    forget: async ({ _id }) => {
      await collection.deleteOne({ _id });
    },
  };
}

function createHiding(
  collection: Collection<DeletionDocument>,
): Pick<DeletionRecords, "hideNetworks" | "hide" | "hideOrganization"> {
  return {
    hideNetworks: async (tx, organization_id, ids) => {
      const hiding = ids.map((_id) => ({
        updateOne: {
          filter: { _id },
          update: {
            $setOnInsert: { kind: "network" as const, organization_id, ...signed(tx, organization_id, 0) },
            $currentDate: { deleted_at: true as const },
          },
          upsert: true,
        },
      }));
      const { upsertedCount } = await collection.bulkWrite(hiding, { session: tx });
      if (upsertedCount !== ids.length) throw new AppError("not_found", { entity: "Network" });
    },
    hide: async (tx, organization_id, kind, ids) => {
      const _id = newId();
      const update = {
        $setOnInsert: { kind, organization_id, ids: [...ids], ...signed(tx, organization_id, 0) },
        $currentDate: { deleted_at: true },
      } as const;
      await collection.updateOne({ _id }, update, { session: tx, upsert: true });
      return _id;
    },
    hideOrganization: async (tx, _id) => {
      const once = { kind: "organization", organization_id: _id, deleted_at: { $ifNull: ["$deleted_at", "$$NOW"] } };
      await collection.updateOne({ _id }, [{ $set: once }], { session: tx, upsert: true });
    },
  };
}

/** At least this long after the given time. */
function aged(moment: "deleted_at" | "swept_at", ms: number): { readonly $expr: object } {
  return { $expr: { $lte: [`$${moment}`, { $subtract: ["$$NOW", ms] }] } };
}
