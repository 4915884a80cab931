import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn } from "@nts/shared/mongo/raw-find";
import type { Database } from "../storage/database.js";
import { creationIndex, FEW_INDEX } from "../storage/indexes.js";
import { narrowedTo, within, withinOrganization } from "../storage/scope.js";
import { journalCollections } from "./collections.js";
import { COLLECTIONS, type Journaled, type JournalDocument, JOURNALED } from "./entries.rules.js";
import { lastEntries } from "./last-entries.js";
import type { ChangeFilter } from "./matching.rules.js";
import type { JournalReader, Reached } from "./read.js";

// What there is at a place of the journal: the last entry of each entity up to there. Ids are read from what is stored by now; what
// was made since has no entry there yet, and what was deleted since is told of as a change.

/** Entities that one query looks up. */
const BATCH = 500;
const FEW: ReadonlySet<Journaled> = new Set(["networks", "tags"]);

export interface StatesParts {
  readonly database: Database;
  readonly reader: Pick<JournalReader, "entries">;
}

/** Reads the last entries of what exists at a number, some at a time. */
export type ReadStates = (scope: Scope, filter: ChangeFilter, n: number) => AsyncGenerator<JournalDocument[]>;

export function createStates({ database, reader }: StatesParts): ReadStates {
  const collections = journalCollections(database.db);

  async function* idsOf(kind: Journaled, scope: Scope): AsyncGenerator<string[]> {
    const filter = kind === "tags" ? withinOrganization(scope) : within(scope);
    const hint = FEW.has(kind) ? FEW_INDEX : creationIndex(kind, scope.networks !== "all");
    const find = { collection: kind, filter, projection: { _id: 1 }, hint, mostRows: BATCH };
    for await (const batch of database.batches(scope, find)) yield documentsIn(batch).map(({ _id }) => String(_id));
  }

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

  async function* statesOfMany(scope: Scope, filter: ChangeFilter, n: number): AsyncGenerator<JournalDocument[]> {
    const kinds = COLLECTIONS.filter((kind) => filter.entity === undefined || JOURNALED[kind] === filter.entity);
    const narrowed = narrowedTo(scope, filter.network_id);
    for (const kind of kinds.filter((kind) => kind !== "tags" || filter.network_id === undefined))
      for await (const ids of idsOf(kind, narrowed)) {
        const asked = { organizationIds: [scope.organizationId], ids, upTo: n };
        yield await database.share(scope, () => lastEntries(collections, asked));
      }
  }

  return async function* (scope, filter, n) {
    const isOfFew = filter.entity_id !== undefined || filter.host_id !== undefined;
    for await (const batch of (isOfFew ? statesOfFew : statesOfMany)(scope, filter, n))
      yield batch.filter(({ action }) => action !== "deleted");
  };
}
