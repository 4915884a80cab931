import type { Change } from "@nts/shared/contract";

// What the journal says, as a person reads it.

/** The entries of one request, or of one write that nobody is known to have asked for. */
export interface ChangeGroup<Entry = Change> {
  readonly id: string;
  /** The newest first, as they were given. */
  readonly entries: readonly [Entry, ...Entry[]];
}

/** Puts entries of one request together, where the newest of them stands. */
export function groupsOf<Entry extends Pick<Change, "request_id" | "cursor">>(
  entries: readonly Entry[],
): ChangeGroup<Entry>[] {
  const groups = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const id = entry.request_id ?? entry.cursor;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [entry]);
    else group.push(entry);
  }
  return [...groups].map(([id, group]) => ({ id, entries: group }));
}

/** With which key something was done, such as ` with the API key CI`; empty without one. */
export function keyText({ actor }: Pick<Change, "actor">, keyNames: ReadonlyMap<string, string>): string {
  const id = actor?.key_id ?? null;
  if (id === null) return "";
  const name = keyNames.get(id);
  return name === undefined ? " with an API key" : ` with the API key ${name}`;
}

/** Entries that were read, and before them those that came since. Both pass the same filter; what came has the oldest first. */
export function withRecent(read: readonly Change[], recent: readonly Change[]): Change[] {
  const [newest] = read;
  const [first] = recent;
  if (newest === undefined || first === undefined) return [...recent.toReversed(), ...read];
  const place = recent.findIndex(({ cursor }) => cursor === newest.cursor);
  // What was read may be ahead of what came.
  if (place === -1 && newest.at > first.at) return [...read];
  return [...recent.slice(place + 1).toReversed(), ...read];
}

/** A member of an entity before and after; undefined on a side where there is none. */
export interface ComparedField {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly isChanged: boolean;
}

/** Members that say nothing to a person, or that the entry says already. */
const LEFT_OUT = new Set(["id", "created_at", "updated_at", "organization_id"]);

/** The members of an entity before and after, those that changed first: of a new or deleted one all that were not empty. */
export function comparisonOf({ before, after, fields }: Pick<Change, "before" | "after" | "fields">): ComparedField[] {
  const isUpdate = before !== null && after !== null;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const all = names
    .filter((name) => !LEFT_OUT.has(name))
    .map((name) => ({ name, before: before?.[name], after: after?.[name] }))
    .map((field) => ({ ...field, isChanged: isUpdate ? fields.includes(field.name) : isSomething(field) }));
  return [...all.filter(({ isChanged }) => isChanged), ...all.filter(({ isChanged }) => !isChanged)];
}

function isSomething({ before, after }: Pick<ComparedField, "before" | "after">): boolean {
  const value = before ?? after;
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

const NAMES: Readonly<Record<string, string>> = {
  cidr: "CIDR",
  ip_address: "IP address",
  mac_address: "MAC address",
  network_id: "Network",
  network_ids: "Networks",
  subnet_id: "Subnet",
  host_id: "Host",
  url: "URL",
};

/** The name of a member, such as `Service definition`. */
export function fieldText(name: string): string {
  const known = NAMES[name];
  if (known !== undefined) return known;
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value that stands for itself. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null || value === "") return "–";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

const MOST_FIELDS = 4;

/** What an update changed, such as `name, tags`. */
export function fieldsText({ fields }: Pick<Change, "fields">): string {
  const names = fields.map((name) => fieldText(name).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()));
  const more = names.length - MOST_FIELDS;
  return more > 1 ? `${names.slice(0, MOST_FIELDS).join(", ")} and ${more} more` : names.join(", ");
}
