import type { Scope } from "@nts/shared/http/tenancy";
import { Fields, type TextSlice, type RawBatch } from "@nts/shared/mongo/raw-fields";
import { PASSED_ON_BYTES } from "@nts/shared/mongo/raw-find";
import { readAhead } from "@nts/shared/read-ahead";
import type { Database } from "../storage/database.js";
import type { Draft } from "./entries.rules.js";
import { type RawEntriesQuery, rawEntriesIn, readAt } from "./read.js";

// Reads changes with the states before them. Texts remain in the bytes of the reply, as most are passed on unchanged.

/** A change of an entity, and if requested, what its former state is derived from: `wire` as a slice; see {@link Draft}. */
export interface Change extends Pick<Draft, "action" | "entity" | "entity_id" | "form">, TextSlice {
  /** Null also of what is between hosts. */
  readonly host_id: string | null;
  /** Position in the organization's journal. */
  readonly n: number;
  readonly old: string | undefined;
  readonly was: string | undefined;
}

/** A change that was read with its former state. */
export type FormerEntry = Change;

/** True if it was read with its former state, which a creation does not have. */
export function hasFormer({ action, from, end }: Change): boolean {
  return action !== "created" && end > from;
}

const CHANGE = { _id: 0, n: 1, action: 1, entity: 1, entity_id: 1 } as const;
const FORMER = { ...CHANGE, form: 1, wire: 1, old: 1, was: 1 } as const;

/** What to read of changes. */
export interface ChangesQuery extends Omit<RawEntriesQuery, "projection"> {
  readonly withFormers: boolean;
  /** Whether `host_id` is needed; it is null otherwise. */
  readonly withHosts: boolean;
}

/** Yields the changes of a range, with the size of each batch. */
export async function* changesIn(
  database: Database,
  scope: Scope,
  { withFormers, withHosts, ...query }: ChangesQuery,
): AsyncGenerator<{ changes: Change[]; bytes: number }, void, void> {
  const fields = { ...(withFormers ? FORMER : CHANGE), ...(withHosts && { host_id: 1 }) };
  const read = { projection: fields, ...(withFormers && { batchBytes: PASSED_ON_BYTES }) };
  for await (const batch of readAhead(rawEntriesIn(database, scope, { ...query, ...read })))
    yield { changes: batch.starts.map((start) => changeIn(batch, start)), bytes: batch.bytes.length };
}

/** Changes by number with their former states, and the total size. */
export const formersAt = (
  database: Database,
  scope: Scope,
  numbers: readonly number[],
): ReturnType<typeof readAt<FormerEntry>> => readAt(database, scope, numbers, { projection: FORMER, read: changeIn });

/** Entities begin with their id and times, of fixed lengths. */
const ID = '{"id":"';
const CREATED_AT = '","created_at":"';
const CREATED_AT_AT = ID.length + "00000000-0000-4000-8000-000000000000".length;
const TIME_AT = CREATED_AT_AT + CREATED_AT.length;
const TIME_END = TIME_AT + "2026-01-02T03:04:05.006Z".length;

/** When an entity was created, in milliseconds; that never changes. */
export function createdAtIn({ bytes, from, end }: FormerEntry): number {
  const text = bytes.toString("latin1", from, Math.min(end, from + TIME_END + 1));
  const isUsual = text.startsWith(ID) && text.indexOf('"', ID.length) === CREATED_AT_AT;
  if (isUsual && text.startsWith(CREATED_AT, CREATED_AT_AT) && text.indexOf('"', TIME_AT) === TIME_END)
    return Date.parse(text.slice(TIME_AT, TIME_END));
  return Date.parse((JSON.parse(bytes.toString("utf8", from, end)) as { readonly created_at: string }).created_at);
}

/** The entry with a number among ascending ones. */
export function formerAt(formers: readonly FormerEntry[], n: number): FormerEntry | undefined {
  let first = 0;
  let last = formers.length - 1;
  while (first < last) {
    const middle = (first + last) >> 1;
    if ((formers[middle]?.n ?? n) < n) first = middle + 1;
    else last = middle;
  }
  return formers[first]?.n === n ? formers[first] : undefined;
}

/** Those of some numbers that are among the entries, and the other numbers. */
export function formersAmong(
  formers: readonly FormerEntry[],
  numbers: Iterable<number>,
): { readonly found: FormerEntry[]; readonly missing: number[] } {
  const found: FormerEntry[] = [];
  const missing: number[] = [];
  for (const n of numbers) {
    const former = formerAt(formers, n);
    if (former === undefined) missing.push(n);
    else found.push(former);
  }
  return { found, missing };
}

/** The fields are read into variables: a copy of an object to modify would take twice as long. */
function changeIn(batch: RawBatch, start: number): Change {
  const { bytes } = batch;
  let n = 0;
  let from = 0;
  let end = 0;
  let action = "";
  let entity = "";
  let entityId = "";
  let host = "";
  let form: number | undefined;
  let old: string | undefined;
  let was: string | undefined;
  for (const fields = new Fields(batch, start); fields.next();)
    switch (fields.name) {
      case "n":
        n = fields.number ?? 0;
        break;
      case "action":
        action = fields.word;
        break;
      case "entity":
        entity = fields.word;
        break;
      case "entity_id":
        entityId = fields.text;
        break;
      case "host_id":
        host = fields.text;
        break;
      case "form":
        form = fields.number;
        break;
      case "wire":
        from = fields.textAt;
        end = fields.textEnd;
        break;
      case "old":
        old = fields.text;
        break;
      case "was":
        was = fields.text;
        break;
    }
  return {
    n,
    action: action as Change["action"],
    entity: entity as Change["entity"],
    entity_id: entityId,
    host_id: host || null,
    form,
    bytes,
    from,
    end,
    old,
    was,
  };
}
