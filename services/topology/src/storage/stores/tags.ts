import { Tag } from "@nts/shared/contract";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";

/** Managed tags; they belong to the organization, so restricted callers see all of them. */
export type TagStore = Entities<Tag>;

/** The unique key of a tag's name. */
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
