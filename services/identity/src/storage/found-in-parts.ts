import type { Collection, Filter } from "mongodb";
import { chunksOf } from "@nts/shared/groups";
import type { Database } from "./database.js";
import type { Formed } from "./documents.js";

/** A key may name a thousand networks: the ten million of an organization are not compared by one operation. */
const READ_AT_A_TIME = 100;

/** Documents of an organization to search. */
export interface Searched<T> {
  readonly organizationId: string;
  /** Those to search, found by an index. */
  readonly all: Filter<T>;
  readonly matching: Filter<T>;
  /** Which members to read besides the id. */
  readonly fields?: Readonly<Record<string, 1>>;
}

/** The matching documents of an organization, few at a time. */
export async function* foundInParts<T extends Formed>(
  share: Database["share"],
  collection: Collection<T>,
  { organizationId, all, matching, fields }: Searched<T>,
): AsyncGenerator<T[]> {
  const ids = await share(organizationId, () => collection.find<Formed>(all, { projection: { _id: 1 } }).toArray());
  for (const part of chunksOf(ids, READ_AT_A_TIME)) {
    const filter = { ...matching, _id: { $in: part.map(({ _id }) => _id) } } as Filter<T>;
    const projection = { _id: 1, ...fields };
    const found = await share(organizationId, () => collection.find<T>(filter, { projection }).toArray());
    if (found.length > 0) yield found;
  }
}
