import type { Db } from "mongodb";
import { ALL_COLLECTIONS } from "../kinds/index.js";
import {
  creationIndex,
  SMALL_COLLECTION_INDEX,
  FREE_ADDRESSES_INDEX,
  GUARD_INDEX,
  type IndexKey,
  JOURNAL_OF_NETWORK,
} from "./indexes.js";
import { scopedCollection } from "./scoped-collection.js";
import { type Sweepable, sweepable } from "./sweepable.js";

const BY_ORGANIZATION: IndexKey = { organization_id: 1 };

// Referencing documents before referenced ones. Documents that expire within a week are not included.
const COLLECTIONS: readonly (readonly [name: string, hint: IndexKey])[] = [
  ["webhook_states", BY_ORGANIZATION],
  ["webhook_deliveries", { organization_id: 1, webhook_id: 1 }],
  ["webhooks", SMALL_COLLECTION_INDEX],
  ["guards", GUARD_INDEX],
  ["free_addresses", FREE_ADDRESSES_INDEX],
  ...ALL_COLLECTIONS.map((name) => [name, creationIndex(false)] as const),
  ["journal", JOURNAL_OF_NETWORK],
  ["journal_gone", BY_ORGANIZATION],
  ["journal_set_aside", BY_ORGANIZATION],
];

/** Everything of an organization, by collection, with its index. */
export function wholeOrganization(db: Db): readonly { readonly documents: Sweepable; readonly hint: IndexKey }[] {
  return COLLECTIONS.map(([name, hint]) => ({ documents: sweepable(scopedCollection(db, name)), hint }));
}
