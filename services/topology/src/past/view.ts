import { MongoServerError } from "mongodb";
import { PAST } from "@nts/shared/contract";
import { AppError, validationFailed } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Moment } from "@nts/shared/mongo/raw-find";
import type { Range } from "@nts/shared/numbered";
import { requireWanted, type Work } from "@nts/shared/work";
import { caughtUp } from "../journal/barrier.js";
import type { ChangeFilter } from "../journal/matching.rules.js";
import { createMoments, isTime } from "../journal/moments.js";
import { entriesIn, type JournalReader } from "../journal/read.js";
import { lastAt, toldUpTo } from "../journal/told.js";
import type { Database } from "../storage/database.js";
import { storedScope } from "../storage/stored-scope.js";

// What there was at a moment follows from what is stored, and from the first change of each entity since: it tells what was
// before it. What is stored is read as it is at one present moment, up to which everything has to be told: a change that is
// stored and not told yet would otherwise be taken for the past. That is a moment some seconds ago, up to which everything is
// told for certain; where what is looked at is newer, it is the present one, and the journal is waited for.

/** Changes that are looked at before others have their turn. */
const LOOKED_AT = 2_000;

/** A moment of the past, for as long as a request reads of it. */
export interface View {
  readonly database: Database;
  readonly work: Work;
  /** What the caller may see today; nothing is hidden from what was. */
  readonly rights: Scope;
  /** The same for what is stored, where some of it is deleted already. */
  readonly stored: Scope;
  /** Of what is stored. */
  readonly moment: Moment;
  /** The cursor of the moment that is looked at. */
  readonly cursor: string;
  /** By the name of the kind: what has changed since, with the number of the first change; 0 for what was not there. */
  readonly changed: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Hosts on which interfaces have changed since. */
  readonly readdressed: ReadonlySet<string>;
}

export interface Looked {
  readonly work: Work;
  /** With the networks that are the caller's, whatever is hidden. */
  readonly rights: Scope;
  /** A time, or a cursor. */
  readonly asOf: string;
  /** Which changes matter. */
  readonly filter: ChangeFilter;
  /** The names of the kinds that matter. */
  readonly kinds: readonly string[];
}

/** Looks at a moment. @throws AppError `validation_failed` · `cursor_invalid` · `changes_gone` · `too_many_changes` · `unavailable` */
export type OpenView = (looked: Looked) => Promise<View>;

/** Clocks differ: a time that is not this far behind what is told may have had changes that are not. */
const CLOCKS_MS = 10_000;

/** @param most changes that may have happened since, and entities that they may be of */
export function createViews(database: Database, reader: JournalReader, most: Most = PAST): OpenView {
  const moments = createMoments(database, reader);

  /** Finds a moment that the journal has already passed; null where that is not certain yet. */
  async function withoutWaiting({ rights, asOf }: Looked): Promise<Found | null> {
    const time = await toldUpTo(database, rights);
    if (time === null) return null;
    if (isTime(asOf) && new Date(asOf).getTime() > time.t * 1_000 - CLOCKS_MS) return null;
    const moment = { time };
    const [stored, last, ends] = await Promise.all([
      storedScope(database, rights, moment),
      lastAt(database, rights, moment),
      reader.ends(rights),
    ]);
    const n = await moments.place(rights, asOf, ends);
    return n > last ? null : { stored, moment, n, last: ends.last };
  }

  async function afterWaiting({ work, rights, asOf }: Looked): Promise<Found> {
    let n: number | null = null;
    for (;;) {
      const { last } = await reader.ends(rights);
      const moment: Moment = {};
      const stored = await storedScope(database, rights, moment);
      await caughtUp(database, rights, work);
      const ends = await reader.ends(rights);
      n ??= await moments.place(rights, asOf, ends);
      // What has been told since may not have been stored: once more, and it is.
      if (n <= last) return { stored, moment, n, last: ends.last };
    }
  }

  return async (looked) => {
    const { work, rights, asOf } = looked;
    if (isTime(asOf) && new Date(asOf).getTime() > Date.now())
      throw validationFailed({ path: "as_of", message: "must not be in the future" });
    const quick = await withoutWaiting(looked).catch((error: unknown) => {
      if (isOfNoSnapshot(error)) return null;
      throw error;
    });
    const { stored, moment, n, last } = quick ?? (await afterWaiting(looked));
    const changes = await changesIn({ database, ...looked, most }, { first: n + 1, last });
    const cursor = (await reader.cursors()).of(rights.organizationId, n);
    return { database, work, rights, stored, moment, cursor, ...changes };
  };
}

/** A present moment, where what is looked at stands in the journal, and up to where that tells what has changed since. */
interface Found {
  readonly stored: Scope;
  readonly moment: Moment;
  readonly n: number;
  readonly last: number;
}

/** The database has no snapshot of a time that is too long ago, or at which an index or collection was not there yet. */
const NO_SNAPSHOT = new Set([239, 246]);

function isOfNoSnapshot(error: unknown): boolean {
  return error instanceof MongoServerError && NO_SNAPSHOT.has(Number(error.code));
}

type Most = Readonly<Record<keyof typeof PAST, number>>;
type Asked = Pick<View, "database" | "work" | "rights"> & Pick<Looked, "filter" | "kinds"> & { readonly most: Most };

async function changesIn(
  { database, work, rights, filter, kinds, most }: Asked,
  range: Range,
): Promise<Pick<View, "changed" | "readdressed">> {
  const changed = new Map(kinds.map((kind) => [kind, new Map<string, number>()]));
  const readdressed = new Set<string>();
  let { changes: entries, entities } = most;
  // Numbers have no gaps: where all of them are looked at, they need not be read to be counted.
  const areAll = rights.networks === "all" && Object.values(filter).every((one) => one === undefined);
  if (areAll && range.last - range.first >= most.changes)
    throw new AppError("too_many_changes", { limit: most.changes });
  const asked = { filter, kinds, range, direction: "asc", limit: entries + 1, mostRows: LOOKED_AT } as const;
  const projection = { _id: 0, n: 1, entity: 1, entity_id: 1, action: 1, host_id: 1 };
  for await (const batch of entriesIn(database, rights, { ...asked, projection })) {
    requireWanted(work);
    for (const { n, entity, entity_id, action, host_id } of batch) {
      const known = changed.get(entity);
      if (known === undefined || known.has(entity_id)) continue;
      known.set(entity_id, action === "created" ? 0 : n);
      entities -= 1;
      if (entity === "Interface" && host_id !== null) readdressed.add(host_id);
    }
    entries -= batch.length;
    if (entries < 0) throw new AppError("too_many_changes", { limit: most.changes });
    if (entities < 0) throw new AppError("too_many_changes", { limit: most.entities });
  }
  return { changed, readdressed };
}
