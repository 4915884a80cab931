import type { Db } from "mongodb";
import { Tag } from "@nts/shared/contract";
import { createEntities, type Entities } from "../storage/entities.js";

/** Managed tags; they belong to the organization, so callers limited to networks see them all. */
export type TagStore = Entities<Tag>;

export function createTagStore(db: Db): TagStore {
  return createEntities<Tag>(db, {
    collection: "tags",
    name: "Tag",
    networkOf: null,
    keysOf: ({ name, color }) => ({ name, color, name_key: name.normalize("NFC").toLowerCase() }),
    clean: (entity) => Tag.parse(entity),
  });
}
