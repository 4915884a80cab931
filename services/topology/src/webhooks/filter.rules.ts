import type { WebhookFilter } from "@nts/shared/contract";
import type { JournalDocument } from "../journal/entries.rules.js";
import { composed } from "../values/search.rules.js";

/** An entry as far as filters look at it. */
type Choosable = Pick<JournalDocument, "network_id" | "entity" | "action" | "wire" | "old" | "was">;

/** True for an entry that a webhook tells. An empty list leaves nothing out. */
export function isWanted({ network_ids, entities, actions, tag_ids }: WebhookFilter, entry: Choosable): boolean {
  if (network_ids.length > 0 && !network_ids.some((id) => id === entry.network_id)) return false;
  if (entities.length > 0 && !entities.includes(entry.entity)) return false;
  if (actions.length > 0 && !actions.includes(entry.action)) return false;
  if (tag_ids.length === 0) return true;
  const wanted = new Set(tag_ids.map(composed));
  return tagsOf(entry).some((tag) => wanted.has(composed(tag)));
}

/** The tags that the entity has before or after. */
function tagsOf({ wire, old, was }: Choosable): string[] {
  return [wire, old, was].flatMap((text) =>
    text === undefined ? [] : ((JSON.parse(text) as { tags?: string[] }).tags ?? []),
  );
}

/** True when a caller may see all that a webhook tells: who may not use all networks sees those that name theirs alone. */
export function isSeenFrom(networks: "all" | readonly string[], { network_ids }: WebhookFilter): boolean {
  return networks === "all" || (network_ids.length > 0 && network_ids.every((id) => networks.includes(id)));
}
