import type { Timestamp } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import { placesBehind } from "@nts/shared/numbered";
import type { Database } from "../storage/database.js";
import { BY_ID } from "../storage/indexes.js";
import { journalCollections } from "./collections.js";

/** The stream position is saved every second even without changes. The database retains five minutes. */
const FRESH_MS = 10_000;
/** The recorded time only increases, so it is read again only when needed. */
const REMEMBERED_MS = 1_000;

/** Reads the database time up to which everything is certainly recorded; null if unknown, or too long ago. */
export function createRecordedUntil({ db, share }: Database): (scope: Scope) => Promise<Timestamp | null> {
  const { tails } = journalCollections(db);
  let remembered: { readonly recorded: Timestamp; readonly readAt: number } | null = null;
  return async (scope) => {
    if (remembered !== null && performance.now() - remembered.readAt < REMEMBERED_MS) return remembered.recorded;
    const readAt = performance.now();
    const tail = await share(scope, () => tails.findOne({ _id: "topology" }, { hint: BY_ID, projection: { told: 1 } }));
    const recorded = tail?.told ?? null;
    if (recorded === null || Math.abs(Date.now() - recorded.t * 1_000) >= FRESH_MS) return null;
    remembered = { recorded, readAt };
    return recorded;
  };
}

/** The last number of an organization's journal at a snapshot; 0 if it was empty. */
export async function lastAt(database: Database, scope: Scope, moment: Moment): Promise<number> {
  const { organizationId: organization_id } = scope;
  const filter = { organization_id, _id: placesBehind(organization_id, 0) };
  const find = { collection: "journal", filter, projection: { n: 1 }, sort: { _id: -1 }, hint: BY_ID, limit: 1 };
  for await (const batch of database.batches(scope, find, moment))
    for (const { n } of documentsIn(batch)) return Number(n);
  return 0;
}
