import type { Database } from "../storage/database.js";
import { journalCollections } from "./collections.js";
import type { JournalDocument } from "./entries.rules.js";
import type { Scope } from "@nts/shared/http/tenancy";
import { lastEntries } from "./last-entries.js";
import type { ChangeFilter } from "./matching.rules.js";
import type { JournalReader, Reached } from "./read.js";
import { type StatesQuery, BATCH, createIds } from "./state-ids.js";

// The state at a journal position: the last entry of each entity up to it. Ids come from a later snapshot, plus those
// deleted since, once everything committed by then is recorded.

export interface StatesParts {
  readonly database: Database;
  readonly reader: Pick<JournalReader, "ends" | "entries">;
}

/** Reads the last entries of everything existing at a number, in batches; empty while a wait is long. */
export type ReadStates = (query: StatesQuery, n: number) => AsyncGenerator<JournalDocument[], void, void>;

export function createStates({ database, reader }: StatesParts): ReadStates {
  const collections = journalCollections(database.db);
  const idsOf = createIds({ database, reader });

  /** For one entity or host, whose entries are indexed: backwards, the first entry of each entity. */
  async function* statesOfFew(
    scope: Scope,
    filter: ChangeFilter,
    n: number,
  ): AsyncGenerator<JournalDocument[], void, void> {
    const seen = new Set<string>();
    const reached: Reached = { n: n + 1, isEnd: false };
    while (!reached.isEnd) {
      const range = { first: 1, last: (reached.n ?? 1) - 1 };
      for await (const batch of reader.entries(scope, { filter, range, direction: "desc", limit: BATCH }, reached))
        yield batch.filter(({ entity_id }) => !seen.has(entity_id) && seen.add(entity_id));
    }
  }

  async function* statesOfMany(query: StatesQuery, n: number): AsyncGenerator<JournalDocument[], void, void> {
    const { scope } = query;
    for await (const ids of idsOf(query, n)) {
      const entries = { organizationIds: [scope.organizationId], ids, upTo: n };
      yield await database.share(scope, () => lastEntries(collections, entries));
    }
  }

  return async function* (query, n) {
    const { scope, filter } = query;
    const isOfFew = filter.entity_id !== undefined || filter.host_id !== undefined;
    for await (const batch of isOfFew ? statesOfFew(scope, filter, n) : statesOfMany(query, n))
      yield batch.filter(({ action }) => action !== "deleted");
  };
}
