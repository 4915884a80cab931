import type { ClientSession, Collection, Db } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { newId } from "@nts/shared/ids";
import { createNote, type Note, signed } from "./authorship.js";

// One document for each deletion that did not fit a transaction: written when it is decided, read by whoever must not see
// what is hidden, and removed when the sweep has long been done. Sweeps look for them in all organizations.

/** Entities that one transaction deletes or changes; with more of them it would take longer than others can wait. */
export const AT_ONCE = 500;

/** What is hidden, or swept a short while ago. */
export interface DeletionDocument {
  /** The id of the network or organization; of hosts and tags, which are deleted together, one of its own. */
  _id: string;
  kind: "network" | "hosts" | "tags" | "organization";
  organization_id: string;
  /** Who deleted it; absent where an earlier version did. */
  by?: string;
  /** Those of the hosts or tags. */
  ids?: readonly string[];
  /** By the clock of the database. */
  deleted_at: Date;
  /** When nothing of it was left. */
  swept_at?: Date;
  /** True when the journal has an entry for everything that is hidden. */
  journaled?: boolean;
  /** True when the notice of the deletion was sent. */
  announced?: boolean;
}

export interface DeletionRecords {
  /** Hides networks when the transaction commits. @throws AppError `not_found` when one of them is hidden already */
  hideNetworks(tx: ClientSession, organizationId: string, ids: readonly string[]): Promise<void>;
  /** Hides what stood on hosts, or tags on whatever carries them, when the transaction commits. @returns its id */
  hide(tx: ClientSession, organizationId: string, kind: "hosts" | "tags", ids: readonly string[]): Promise<string>;
  /** Hides all of an organization when the transaction commits, unless it is hidden already. */
  hideOrganization(tx: ClientSession, organizationId: string): Promise<void>;
  /** Those of some networks, hosts or tags whose deletion is not forgotten yet. */
  unfinished(tx: ClientSession, organizationId: string, ids: readonly string[]): Promise<string[]>;
  /** The notices of these deletions were sent. */
  markAnnounced(organizationIds: readonly string[], ids: readonly string[]): Promise<void>;
  /** How many there are, and how many of them are to be swept. */
  count(): Promise<{ all: number; unswept: number }>;
  /** Those that are not swept and without a notice, this many milliseconds after they were hidden; oldest first. */
  unannounced(agedMs: number): Promise<DeletionDocument[]>;
  /**
   * Those that are to be swept, oldest first: journaled, or so old that they do not wait for the journal any more. Times are
   * milliseconds since they were hidden, by the clock of the database.
   */
  unswept(agedMs: number, untoldMs: number): Promise<DeletionDocument[]>;
  /** Tells the journal whose deletion it is that a transaction sweeps. */
  readonly note: Note;
  /** Those that were swept this many milliseconds ago. */
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
    unswept: (agedMs, untoldMs) => {
      const isDue = { $or: [{ journaled: true }, aged("deleted_at", untoldMs)] };
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

/** Since whose moment this much time has passed. */
function aged(moment: "deleted_at" | "swept_at", ms: number): { readonly $expr: object } {
  return { $expr: { $lte: [`$${moment}`, { $subtract: ["$$NOW", ms] }] } };
}
