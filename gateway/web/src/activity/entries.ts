import type { Change } from "@nts/shared/contract";
import { fieldText } from "../api/field-texts.js";

// Presentation of journal entries.

/** The entries of one request, or one entry without a known request. */
export interface ChangeGroup<Entry = Change> {
  readonly id: string;
  /** Newest first. */
  readonly entries: readonly [Entry, ...Entry[]];
}

/** Groups entries by request, at the position of the newest entry. */
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

/** The API key that was used, such as ` with the API key CI`; empty without one. */
export function keyText({ actor }: Pick<Change, "actor">, keyNames: ReadonlyMap<string, string>): string {
  const id = actor?.key_id ?? null;
  if (id === null) return "";
  const name = keyNames.get(id);
  return name === undefined ? " with an API key" : ` with the API key ${name}`;
}

/** Combines entries that were read with recent ones, which pass the same filter and are oldest first. */
export function withRecent(read: readonly Change[], recent: readonly Change[]): Change[] {
  const [newest] = read;
  const [first] = recent;
  if (newest === undefined || first === undefined) return [...recent.toReversed(), ...read];
  // Recent entries may end in the middle of a request, and so before the newest entry that was read.
  const known = new Set(read.map(({ cursor }) => cursor));
  const place = recent.findLastIndex(({ cursor }) => known.has(cursor));
  // The list may be ahead of the recent entries.
  if (place === -1 && newest.at >= first.at) return [...read];
  return [...recent.slice(place + 1).toReversed(), ...read];
}

/** A member before and after a change; undefined on a side where the entity did not exist. */
export interface ComparedField {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly isChanged: boolean;
}

/** Members without information for a reader, or already shown in the entry. */
const LEFT_OUT = new Set(["id", "created_at", "updated_at", "organization_id"]);

/** The members before and after, changed ones first; for new and deleted entities, those that are not empty. */
export function comparisonOf({ before, after, fields }: Pick<Change, "before" | "after" | "fields">): ComparedField[] {
  const isUpdate = before !== null && after !== null;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const all = names
    .filter((name) => !LEFT_OUT.has(name))
    .map((name) => ({ name, before: before?.[name], after: after?.[name] }))
    .map((field) => ({ ...field, isChanged: isUpdate ? isNamed(field.name, fields) : isSomething(field) }));
  return [...all.filter(({ isChanged }) => isChanged), ...all.filter(({ isChanged }) => !isChanged)];
}

/** A member may be named itself, or by one of its own, such as `observed.version`. */
function isNamed(name: string, fields: readonly string[]): boolean {
  return fields.some((field) => field === name || field.startsWith(`${name}.`));
}

function isSomething({ before, after }: Pick<ComparedField, "before" | "after">): boolean {
  const value = before ?? after;
  return value !== undefined && value !== null && value !== "" && !isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

export function valueText(value: unknown): string {
  if (value === undefined || value === null || value === "") return "–";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

const MOST_FIELDS = 4;

/** The names of changed members, such as `name, tags`. */
export function fieldsText({ fields }: Pick<Change, "fields">): string {
  const names = fields.map((name) => fieldText(name).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()));
  const more = names.length - MOST_FIELDS;
  return more > 1 ? `${names.slice(0, MOST_FIELDS).join(", ")} and ${more} more` : names.join(", ");
}
