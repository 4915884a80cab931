import { KINDS } from "@nts/shared/contract/kinds";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import type { Work } from "@nts/shared/work";
import type { Database } from "../storage/database.js";
import { ENTITY_KINDS, isOfOrganization } from "../kinds/index.js";
import { ID_KEY, idOfKey } from "../storage/id-key.js";
import { BY_ID, creationIndex } from "../storage/indexes.js";
import { matching, narrowedTo, type ScopeFilter, visibleOf, within } from "../storage/scope.js";
import { caughtUp } from "./barrier.js";
import { COLLECTIONS, type Journaled, JOURNALED } from "./entries.rules.js";
import type { ChangeFilter } from "./matching.rules.js";
import { entriesIn, type JournalReader } from "./read.js";

// The ids of entities that may exist at a journal position: those stored in a later snapshot, and those deleted in
// between.

/** Entities per query. */
export const BATCH = 500;

export interface StatesQuery {
  readonly scope: Scope;
  readonly filter: ChangeFilter;
  readonly work: Work;
}

/** The position and the snapshot. */
interface Looked {
  readonly scope: Scope;
  readonly moment: Moment;
  /** Only what is in the network of the scope. */
  readonly isNarrowed: boolean;
}

export interface IdsParts {
  readonly database: Database;
  readonly reader: Pick<JournalReader, "ends">;
}

/** Creates the reader of ids, in batches; empty while a wait is long. */
export function createIds({
  database,
  reader,
}: IdsParts): (selection: StatesQuery, n: number) => AsyncGenerator<string[]> {
  const scopeOf = (kind: Journaled, { scope, isNarrowed }: Looked): ScopeFilter =>
    isNarrowed ? within(scope) : visibleOf(ENTITY_KINDS[kind])(scope);

  async function* idsOf(kind: Journaled, looked: Looked): AsyncGenerator<string[]> {
    const { scope, moment } = looked;
    // Of the fields of the index only.
    const projection = { _id: 0, [ID_KEY]: 1 };
    const hint = creationIndex(KINDS[JOURNALED[kind]].parent !== null && scope.networks !== "all");
    const find = { collection: kind, filter: scopeOf(kind, looked), projection, hint, mostRows: BATCH };
    for await (const batch of database.batches(scope, find, moment))
      yield documentsIn(batch).map((found) => idOfKey(found[ID_KEY]));
  }

  async function missingOf(kind: Journaled, ids: readonly string[], looked: Looked): Promise<string[]> {
    const { scope, moment } = looked;
    const missing = new Set(ids);
    const filter = matching(scopeOf(kind, looked), { _id: { $in: [...missing] } });
    const find = { collection: kind, filter, projection: { _id: 1 }, hint: BY_ID };
    for await (const batch of database.batches(scope, find, moment))
      for (const { _id } of documentsIn(batch)) missing.delete(String(_id));
    return [...missing];
  }

  /** Ids deleted after the number and not in the snapshot, in batches. */
  async function* deletedSince(n: number, kinds: readonly Journaled[], looked: Looked): AsyncGenerator<string[]> {
    const { scope } = looked;
    const { last } = await reader.ends(scope);
    const selection = { filter: { action: "deleted" }, range: { first: n + 1, last }, direction: "asc" } as const;
    const find = { ...selection, limit: 0, projection: { _id: 0, entity: 1, entity_id: 1 }, mostRows: BATCH };
    const seen = new Set<string>();
    for await (const batch of entriesIn(database, scope, find))
      for (const kind of kinds) {
        const ids = batch.flatMap(({ entity, entity_id }) => (entity === JOURNALED[kind] ? [entity_id] : []));
        const missing = ids.length === 0 ? [] : await missingOf(kind, ids, looked);
        yield missing.filter((id) => !seen.has(id) && seen.add(id));
      }
  }

  /** Recording a large deletion may take longer than the usual wait, and a stream has time. */
  async function isCaughtUp(scope: Scope, work: Work): Promise<boolean> {
    try {
      await caughtUp(database, scope, { deadline: Infinity, isAbandoned: () => work.isAbandoned() });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === "unavailable") return false;
      throw error;
    }
  }

  return async function* ({ scope, filter, work }, n) {
    const kinds = COLLECTIONS.filter(
      (kind) =>
        (filter.entity === undefined || JOURNALED[kind] === filter.entity) &&
        (!isOfOrganization(kind) || filter.network_id === undefined),
    );
    const isNarrowed = filter.network_id !== undefined;
    const looked = { scope: narrowedTo(scope, filter.network_id), moment: {}, isNarrowed };
    // The first read determines the snapshot time.
    if (kinds[0] !== undefined) await missingOf(kinds[0], [], looked);
    while (!(await isCaughtUp(scope, work))) yield [];
    yield* deletedSince(n, kinds, looked);
    for (const kind of kinds) yield* idsOf(kind, looked);
  };
}
