import type { ClientSession, Db, Filter } from "mongodb";
import { forgetAddresses } from "./key-addresses.js";
import { noteChange } from "./audit-notes.js";
import { trailOf } from "./audit-trail.js";
import type { Documents } from "./documents.js";
import { type KeyDocument, NOBODY } from "../model/key.rules.js";

// A user may have a thousand keys with long lists of networks. To delete them with their audit entries takes seconds, in
// which no other rights can change. So many keys only lose their user at first, and with it all rights and their place
// in lists; their documents are deleted in the background.

/** Keys of a user that are deleted at once. */
export const MOST_AT_ONCE = 25;

/** Removes the matching keys of a user, in a rights transaction. */
export type RemoveKeys = (filter: Filter<KeyDocument>, tx: ClientSession) => Promise<void>;

export function createRemoveKeys(
  db: Db,
  { collection: keys, understood }: Pick<Documents<KeyDocument>, "collection" | "understood">,
): RemoveKeys {
  async function leave(filter: Filter<KeyDocument>, tx: ClientSession): Promise<void> {
    const of = { user_id: "$user_id", organization_id: "$organization_id" };
    const removal = { $mergeObjects: [of, { $literal: trailOf(tx).circumstances() }] };
    await keys.updateMany(filter, [{ $set: { removal, user_id: NOBODY, organization_id: NOBODY } }], { session: tx });
  }

  return async (filter, tx) => {
    const found = await keys.find<KeyDocument>(filter, { session: tx, limit: MOST_AT_ONCE + 1 }).toArray();
    if (found.length > MOST_AT_ONCE) {
      await leave(filter, tx);
      return;
    }
    for (const key of found) noteChange(tx, "key", { before: understood(key) });
    await keys.deleteMany(filter, { session: tx });
    await forgetAddresses(db, found, tx);
  };
}
