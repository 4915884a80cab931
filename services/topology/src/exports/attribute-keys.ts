import type { CsvResource } from "@nts/shared/contract";
import { validationFailed } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn } from "@nts/shared/mongo/raw-find";
import { FACET_INDEX } from "../storage/indexes.js";
import { matching } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import { attributeKeysAmong } from "../values/facets.rules.js";

/** Maximum columns for attributes, so that an import accepts the table. */
const MOST_COLUMNS = 150;

/**
 * The keys of the attributes that entities in the scope have, in alphabetical order.
 *
 * @throws AppError `validation_failed` if a table would have too many columns
 */
export async function attributeKeys(storage: Storage, scope: Scope, resource: CsvResource): Promise<string[]> {
  const { read, within } = storage[resource];
  const filter = matching(within(scope), { facets: { $gt: "" } });
  const keys = new Set<string>();
  for await (const batch of read(scope, { filter, projection: { _id: 0, facets: 1 }, hint: FACET_INDEX }))
    for (const { facets } of documentsIn(batch) as { facets: string[] }[]) {
      for (const key of attributeKeysAmong(facets)) keys.add(key);
      if (keys.size > MOST_COLUMNS)
        throw validationFailed({ path: "resource", message: `must have at most ${MOST_COLUMNS} different attributes` });
    }
  return [...keys].sort();
}
