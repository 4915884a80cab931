import { type Change, listHosts } from "@nts/shared/contract";
import { type Between, nameBetween, nameOf } from "@nts/shared/contract/names.rules";
import { useRows } from "../api/queries.js";

// Links and dependencies have no names: entries of the journal call them after their ends.

/** Hosts that one request reads. */
const MOST_HOSTS = 100;

/** The entries, with names of links and dependencies as soon as those of their ends are known. */
export function useNamedEnds(entries: readonly Change[]): readonly Change[] {
  const ids = [...new Set(entries.flatMap(hostsAtEnds))].slice(0, MOST_HOSTS);
  const { data } = useRows(listHosts, { query: { ids, limit: MOST_HOSTS } }, { enabled: ids.length > 0 });
  if (ids.length === 0) return entries;
  // What is deleted with its links and dependencies is in entries beside theirs.
  const names = new Map(entries.map(({ entity_id: id, name }) => [id, name]));
  for (const { id, name, services, ports } of data?.data ?? []) {
    names.set(id, name);
    for (const one of [...services, ...ports]) names.set(one.id, nameOf({ ...one }));
  }
  return entries.map((entry) => {
    const isKnown = hostsAtEnds(entry).some((id) => names.has(id));
    return isKnown ? { ...entry, name: nameBetween(endsIn(entry), (id) => names.get(id)) } : entry;
  });
}

function hostsAtEnds(entry: Change): string[] {
  const { client, server, ends = [] } = endsIn(entry);
  return [client, server, ...ends].flatMap((end) => end?.host_id ?? []);
}

/** The ends of what an entry is about, as it is by then, or was; none for other kinds. */
function endsIn({ entity, after, before }: Change): Between {
  return entity === "Link" || entity === "Dependency" ? (after ?? before ?? {}) : {};
}
