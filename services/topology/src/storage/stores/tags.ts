import { Tag } from "@nts/shared/contract";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";

/** Managed tags; they belong to the organization, so callers limited to networks see them all. */
export type TagStore = Entities<Tag>;

/** What the name of a tag is unique by. */
export function tagKeyOf(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

export const TAG_KIND: EntityKind<Tag> = {
  collection: "tags",
  name: "Tag",
  networkOf: null,
  keysOf: ({ name, color }) => ({ name, color, name_key: tagKeyOf(name) }),
  clean: (entity) => Tag.parse(entity),
};

export function createTagStore(database: Database, kind = TAG_KIND): TagStore {
  return createEntities<Tag>(database, kind);
}
