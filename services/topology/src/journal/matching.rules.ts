import type { JournalDocument } from "./entries.rules.js";

// Which followers an entry is sent to: what a query would find, but decided for each entry without a database.

/** What an entry is chosen by. */
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

type Choosable = { readonly [Name in keyof ChangeFilter]?: string | null };

/** True for an entry that a caller with these networks may see, and has asked for. */
export function isToldTo(networks: "all" | ReadonlySet<string>, filter: ChangeFilter, entry: Choosable): boolean {
  const { network_id = null } = entry;
  if (networks !== "all" && network_id !== null && !networks.has(network_id)) return false;
  for (const name in filter) {
    const wanted = filter[name as keyof ChangeFilter];
    if (wanted !== undefined && entry[name as keyof ChangeFilter] !== wanted) return false;
  }
  return true;
}
