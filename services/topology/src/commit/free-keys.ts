import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Entities, Entity } from "../storage/entities.js";
import { BY_ID } from "../storage/indexes.js";
import type { Change } from "./changes.rules.js";

// A unique index applies to every single write of a transaction, so entities that have swapped unique values cannot be
// restored one after the other.

/**
 * Frees the unique values of entities that the transaction is about to replace: until then, a field of the index has
 * their ids. Neither state nor revision changes, so the journal has nothing to record.
 */
export async function freeKeys(
  { collection, within }: Pick<Entities<Entity>, "collection" | "within">,
  tx: ClientSession,
  scope: Scope,
  { key, changes }: { key: "host_id" | "name_key" | "ends" | "vid"; changes: readonly Change<Entity>[] },
): Promise<void> {
  // A single one has swapped nothing.
  if (changes.length < 2) return;
  const ids = changes.map(({ before }) => before.entity.id);
  const options = { session: tx, hint: BY_ID, documents: ids.length };
  await collection.updateMany({ ...within(scope), _id: { $in: ids } }, [{ $set: { [key]: "$_id" } }], options);
}
