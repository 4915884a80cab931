import type { JournalDocument } from "./entries.rules.js";

// Which followers receive an entry: like a query, but evaluated in memory.

/** The fields by which an entry is selected. */
export interface ChangeFilter {
  readonly network_id?: string | undefined;
  readonly host_id?: string | undefined;
  readonly entity?: string | undefined;
  readonly entity_id?: string | undefined;
  readonly action?: JournalDocument["action"] | undefined;
  readonly user_id?: string | undefined;
  readonly key_id?: string | undefined;
  readonly request_id?: string | undefined;
}

type Choosable = { readonly [Name in keyof ChangeFilter]?: string | readonly string[] | null };

/** True for an entry that the caller may see, and that matches the filter. */
export function isSelected(networks: "all" | ReadonlySet<string>, filter: ChangeFilter, entry: Choosable): boolean {
  const { network_id = null } = entry;
  if (networks !== "all" && typeof network_id === "string" && !networks.has(network_id)) return false;
  for (const name in filter) {
    const requested = filter[name as keyof ChangeFilter];
    const has = entry[name as keyof ChangeFilter];
    if (requested !== undefined && has !== requested && !(Array.isArray(has) && has.includes(requested))) return false;
  }
  return true;
}
