import type { Database } from "../storage/database.js";
import { journalCollections } from "./collections.js";
import type { JournalDocument } from "./entries.rules.js";
import type { Scope } from "@nts/shared/http/tenancy";
import { lastEntries } from "./last-entries.js";
import type { ChangeFilter } from "./matching.rules.js";
import type { JournalReader, Reached } from "./read.js";
import { type AskedStates, BATCH, createIds } from "./state-ids.js";

// What there is at a place of the journal: the last entry of each entity up to there. Ids are read from what is stored at a moment
// behind it: what was made since has no entry there yet, and what was deleted since is found by the entries of the deletions,
// once everything that was committed by that moment is told.

export interface StatesParts {
  readonly database: Database;
  readonly reader: Pick<JournalReader, "ends" | "entries">;
}

/** Reads the last entries of what exists at a number, some at a time; none where it has to wait for long. */
export type ReadStates = (asked: AskedStates, n: number) => AsyncGenerator<JournalDocument[]>;

export function createStates({ database, reader }: StatesParts): ReadStates {
  const collections = journalCollections(database.db);
  const idsOf = createIds({ database, reader });

  /** Of one entity or host, whose entries have an index: from the newest back, the first one of each entity. */
  async function* statesOfFew(scope: Scope, filter: ChangeFilter, n: number): AsyncGenerator<JournalDocument[]> {
    const seen = new Set<string>();
    const reached: Reached = { n: n + 1, isEnd: false };
    while (!reached.isEnd) {
      const range = { first: 1, last: (reached.n ?? 1) - 1 };
      for await (const batch of reader.entries(scope, { filter, range, direction: "desc", limit: BATCH }, reached))
        yield batch.filter(({ entity_id }) => !seen.has(entity_id) && seen.add(entity_id));
    }
  }

  async function* statesOfMany(asked: AskedStates, n: number): AsyncGenerator<JournalDocument[]> {
    const { scope } = asked;
    for await (const ids of idsOf(asked, n)) {
      const entries = { organizationIds: [scope.organizationId], ids, upTo: n };
      yield await database.share(scope, () => lastEntries(collections, entries));
    }
  }

  return async function* (asked, n) {
    const { scope, filter } = asked;
    const isOfFew = filter.entity_id !== undefined || filter.host_id !== undefined;
    for await (const batch of isOfFew ? statesOfFew(scope, filter, n) : statesOfMany(asked, n))
      yield batch.filter(({ action }) => action !== "deleted");
  };
}
