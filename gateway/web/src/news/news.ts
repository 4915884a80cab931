import type { Change } from "@nts/shared/contract";

// What is new in the networks: new strangers, and hosts that imports no longer find or have found again.

/** The news among entries of hosts, newest first: only the last one of a host, as it is so now. */
export function newsAmong(entries: readonly Change[]): Change[] {
  const news = entries.filter(({ action, after }) => action !== "created" || after?.["is_known"] === false);
  const newest = news.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  const hosts = new Set<string>();
  return newest.filter(({ entity_id: id }) => !hosts.has(id) && hosts.add(id));
}

const TEXTS: Readonly<Record<string, string>> = {
  created: "is new",
  missed: "is not seen any more",
  returned: "is back",
};

/** Such as `is new`. */
export function newsText({ action }: Pick<Change, "action">): string {
  return TEXTS[action] ?? action;
}
