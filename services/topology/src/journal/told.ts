import type { Timestamp } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import { placesBehind } from "@nts/shared/numbered";
import type { Database } from "../storage/database.js";
import { BY_ID } from "../storage/indexes.js";
import { journalCollections } from "./collections.js";

/** The place in the stream is saved every second, and moves on without changes, too. The database remembers five minutes. */
const FRESH_MS = 10_000;
/** What was told remains so: it is read again when it may have moved on. */
const REMEMBERED_MS = 1_000;

/** Reads the last time of the database up to which everything is told for certain; null when that is not known, or long ago. */
export function createToldUpTo({ db, share }: Database): (scope: Scope) => Promise<Timestamp | null> {
  const { tails } = journalCollections(db);
  let remembered: { readonly told: Timestamp; readonly readAt: number } | null = null;
  return async (scope) => {
    if (remembered !== null && performance.now() - remembered.readAt < REMEMBERED_MS) return remembered.told;
    const readAt = performance.now();
    const tail = await share(scope, () => tails.findOne({ _id: "topology" }, { hint: BY_ID, projection: { told: 1 } }));
    const told = tail?.told ?? null;
    if (told === null || Math.abs(Date.now() - told.t * 1_000) >= FRESH_MS) return null;
    remembered = { told, readAt };
    return told;
  };
}

/** The last number of an organization's journal at a moment; 0 when it was empty. */
export async function lastAt(database: Database, scope: Scope, moment: Moment): Promise<number> {
  const { organizationId: organization_id } = scope;
  const filter = { organization_id, _id: placesBehind(organization_id, 0) };
  const find = { collection: "journal", filter, projection: { n: 1 }, sort: { _id: -1 }, hint: BY_ID, limit: 1 };
  for await (const batch of database.batches(scope, find, moment))
    for (const { n } of documentsIn(batch)) return Number(n);
  return 0;
}
