import type { ClientSession } from "mongodb";
import type { Tag } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind, type Stored } from "../entities.js";
import { tagKeyOf } from "../../kinds/tag.js";
import { BY_ID } from "../indexes.js";

/** Managed tags; they belong to the organization, so restricted callers see all of them. */
export type TagStore = Entities<Tag>;

export function createTagStore(database: Database, kind: EntityKind<Tag>): TagStore {
  const entities = createEntities<Tag>(database, kind);
  return {
    ...entities,
    replace: async (tx, scope, changed, extra) => {
      // A tag keeps its key with its name: an earlier version may have given another tag the key that it would get.
      const keys = await storedKeys(entities, tx, scope, changed);
      const isKept = ({ entity: { id, name } }: Stored<Tag>): boolean => keys.get(id)?.name === name;
      for (const one of changed.filter(isKept))
        await entities.replace(tx, scope, [one], { ...extra, name_key: keys.get(one.entity.id)?.name_key });
      await entities.replace(
        tx,
        scope,
        changed.filter((one) => !isKept(one)),
        extra,
      );
    },
  };
}

/** Names with keys of earlier versions, by id. */
async function storedKeys(
  { selectIn }: Entities<Tag>,
  tx: ClientSession,
  scope: Scope,
  changed: readonly Stored<Tag>[],
): Promise<Map<string, { name: unknown; name_key: unknown }>> {
  const filter = { _id: { $in: changed.map(({ entity }) => entity.id) } };
  const found = await selectIn(tx, scope, filter, { projection: { name: 1, name_key: 1 }, hint: BY_ID });
  const old = found.filter((one) => one["name_key"] !== tagKeyOf(String(one["name"])));
  return new Map(old.map((one) => [one._id, { name: one["name"], name_key: one["name_key"] }]));
}
