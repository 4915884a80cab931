import type { Scope } from "@nts/shared/http/tenancy";
import { Fields } from "@nts/shared/mongo/raw-fields";
import { PASSED_ON_BYTES, type RawBatch } from "@nts/shared/mongo/raw-find";
import { readAhead } from "@nts/shared/read-ahead";
import type { Database } from "../storage/database.js";
import { type Draft, JOURNALED } from "./entries.rules.js";
import { type AskedEntries, rawEntriesIn, readAt, type ReadEntry } from "./read.js";

// Reads changes with the states before them. Texts remain in the bytes of the reply, as most are passed on unchanged.

/** A change of an entity, and if requested, what its former state is derived from; see {@link Draft}. */
export interface Change extends Pick<Draft, "action" | "entity" | "entity_id" | "host_id" | "form"> {
  /** Position in the organization's journal. */
  readonly n: number;
  readonly wire: Buffer | undefined;
  readonly old: string | undefined;
  readonly was: string | undefined;
}

export type FormerEntry = Change & { readonly wire: Buffer };

/** True if it was read with its former state, which a creation does not have. */
export function hasFormer(change: Change): change is FormerEntry {
  return change.action !== "created" && change.wire !== undefined;
}

const CHANGE = { _id: 0, n: 1, action: 1, entity: 1, entity_id: 1, host_id: 1 } as const;
const FORMER = { ...CHANGE, form: 1, wire: 1, old: 1, was: 1 } as const;

const NO_CHANGE: Change = {
  n: 0,
  action: "created",
  entity: "Network",
  entity_id: "",
  host_id: null,
  form: undefined,
  wire: undefined,
  old: undefined,
  was: undefined,
};

/** Yields the changes of a range, with the size of each batch, and if requested with their former states. */
export async function* changesIn(
  database: Database,
  scope: Scope,
  { withFormers, ...asked }: Omit<AskedEntries, "projection"> & { readonly withFormers: boolean },
): AsyncGenerator<{ changes: Change[]; bytes: number }, void, void> {
  const read = withFormers ? { projection: FORMER, batchBytes: PASSED_ON_BYTES } : { projection: CHANGE };
  for await (const batch of readAhead(rawEntriesIn(database, scope, { ...asked, ...read })))
    yield { changes: batch.starts.map((start) => changeIn(batch, start)), bytes: batch.bytes.length };
}

/** Changes by number with their former states, and the total size. */
export const formersAt = (
  database: Database,
  scope: Scope,
  numbers: readonly number[],
): ReturnType<typeof readAt<FormerEntry>> =>
  readAt(database, scope, numbers, { projection: FORMER, read: changeIn as ReadEntry<FormerEntry> });

/** Entities begin with their id and times. */
const BEGINNING = /^\{"id":"[^"\\]*","created_at":"([^"\\]*)"/;
const LONGEST_BEGINNING = 120;

/** When an entity was created; that never changes. */
export function createdAtIn({ wire }: FormerEntry): Date {
  const createdAt = BEGINNING.exec(wire.toString("latin1", 0, LONGEST_BEGINNING))?.[1];
  return new Date(createdAt ?? (JSON.parse(String(wire)) as { readonly created_at: string }).created_at);
}

const SHARED = new Map<string, string>(
  ["created", "updated", "deleted", ...Object.values(JOURNALED)].map((text) => [text, text]),
);

/** One string for all equal ones, of which thousands may be held. */
function sharedText(text: string): string {
  return SHARED.get(text) ?? text;
}

function changeIn(batch: RawBatch, start: number): Change {
  const change: { -readonly [Name in keyof Change]: Change[Name] } = { ...NO_CHANGE };
  for (const fields = new Fields(batch, start); fields.next();)
    switch (fields.name) {
      case "n":
      case "form":
        change[fields.name] = fields.number ?? 0;
        break;
      case "action":
        change.action = sharedText(fields.text) as Change["action"];
        break;
      case "entity":
        change.entity = sharedText(fields.text) as Change["entity"];
        break;
      case "entity_id":
      case "old":
      case "was":
        change[fields.name] = fields.text;
        break;
      case "host_id":
        change.host_id = fields.text || null;
        break;
      case "wire":
        change.wire = fields.utf8;
        break;
    }
  return change;
}
