import { STORED } from "../storage/entity-reader.js";
import { tagKeyOf } from "../kinds/tag.js";
import type { TopLevelItem } from "./batches.js";
import type { Target } from "./top-level.js";

/**
 * Groups tags whose names in the archive others have now: each of a group gets the name of the next one, so all of them are
 * renamed at once. The groups are in an order in which they can be written.
 *
 * @param places local ids, by the ids in the archive
 */
export async function renamedTogether(
  { storage: { tags }, scope }: Pick<Target, "storage" | "scope">,
  taken: readonly TopLevelItem<"Tag">[],
  places: ReadonlyMap<string, string>,
): Promise<TopLevelItem<"Tag">[][]> {
  const keyOf = ({ data }: TopLevelItem<"Tag">): string => tagKeyOf(data.name);
  const found = await tags.select(scope, { name_key: { $in: taken.map(keyOf) } }, { projection: STORED });
  const present = found.map((document) => tags.storedIn(document, scope).entity);
  const holderOf = new Map(present.map(({ id, name }) => [tagKeyOf(name), id]));
  const waiting = new Map(taken.map((item) => [places.get(item.data.id), item]));
  return taken.flatMap((item) => {
    const group: TopLevelItem<"Tag">[] = [];
    for (let next: TopLevelItem<"Tag"> | undefined = item; next !== undefined;) {
      const id = places.get(next.data.id);
      if (!waiting.delete(id)) break;
      group.push(next);
      next = waiting.get(holderOf.get(keyOf(next)));
    }
    return group.length === 0 ? [] : [group];
  });
}
