import type { WebhookFilter } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import type { JournalDocument } from "../journal/entries.rules.js";

/** The members of an entry that filters use. */
type Choosable = Pick<JournalDocument, "network_id" | "entity" | "action" | "wire" | "old" | "was">;

/** True if an entry matches the filter. An empty list matches everything. */
export function isSelected(
  { network_ids, entities, actions, tag_ids, known }: WebhookFilter,
  entry: Choosable,
): boolean {
  if (network_ids.length > 0 && !network_ids.some((id) => id === entry.network_id)) return false;
  if (entities.length > 0 && !entities.includes(entry.entity)) return false;
  if (actions.length > 0 && !actions.includes(entry.action)) return false;
  if (known !== null && (entry.entity !== "Host" || isKnownHost(entry) !== known)) return false;
  if (tag_ids.length === 0) return true;
  const selected = new Set(tag_ids.map(composed));
  return tagsOf(entry).some((tag) => selected.has(composed(tag)));
}

/** Hosts that were stored without saying so are known. */
function isKnownHost({ wire }: Choosable): boolean {
  return (JSON.parse(wire) as { is_known?: boolean }).is_known ?? true;
}

/** The tags of the entity before and after the change. */
function tagsOf({ wire, old, was }: Choosable): string[] {
  return [wire, old, was].flatMap((text) =>
    text === undefined ? [] : ((JSON.parse(text) as { tags?: string[] }).tags ?? []),
  );
}

/** True if a caller with access to these networks may see everything the webhook sends. */
export function isSeenFrom(networks: "all" | readonly string[], { network_ids }: WebhookFilter): boolean {
  return networks === "all" || (network_ids.length > 0 && network_ids.every((id) => networks.includes(id)));
}
