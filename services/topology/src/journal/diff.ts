import { COMPARED } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Range } from "@nts/shared/numbered";
import { requireNotAbandoned, type Work } from "@nts/shared/work";
import type { Database } from "../storage/database.js";
import { differing, type Entity, isSighting, type JournalDocument } from "./entries.rules.js";
import type { DIFFERENCES, DifferentEntity } from "./diff-markdown.rules.js";
import type { ChangeFilter } from "./matching.rules.js";
import { entriesAt, entriesIn } from "./read.js";
import { currentSides } from "./entry-texts.js";

// A difference follows from the first and last entry of each entity in the range. Their numbers are held in memory;
// entries are read while the response is sent.

/** Entries processed before yielding to others. */
const LOOKED_AT = 2_000;
/** Maximum bytes and number of entries read together. */
const READ_BYTES = 1_048_576;
const MOST_READ = 100;

/** The numbers of the first and last entry of each entity, alternating. */
export type Spans = Readonly<Record<(typeof DIFFERENCES)[number], readonly number[]>>;

interface Span {
  readonly first: number;
  readonly isNew: boolean;
  last: number;
  isGone: boolean;
}

/** @param most maximum number of changes @throws AppError `too_many_changes` */
export async function spansIn(
  database: Database,
  { work, scope, range, filter }: { work: Work; scope: Scope; range: Range; filter: ChangeFilter },
  most: Readonly<Record<keyof typeof COMPARED, number>> = COMPARED,
): Promise<Spans> {
  const spans = new Map<string, Span>();
  let left = most.changes;
  const query = { filter, range, direction: "asc", limit: left + 1, mostRows: LOOKED_AT } as const;
  const projection = { _id: 0, n: 1, entity_id: 1, action: 1 };
  for await (const batch of entriesIn(database, scope, { ...query, projection })) {
    requireNotAbandoned(work);
    for (const { n, entity_id, action } of batch) {
      if (isSighting(action)) continue;
      const span = spans.get(entity_id);
      const isGone = action === "deleted";
      if (span === undefined) spans.set(entity_id, { first: n, isNew: action === "created", last: n, isGone });
      else Object.assign(span, { last: n, isGone });
    }
    left -= batch.length;
    if (left < 0) throw new AppError("too_many_changes", { limit: most.changes });
    if (spans.size > most.entities) throw new AppError("too_many_changes", { limit: most.entities });
  }
  const found = { added: [] as number[], removed: [] as number[], changed: [] as number[] };
  for (const { first, last, isNew, isGone } of spans.values())
    if (isNew && !isGone) found.added.push(first, last);
    else if (!isNew) found[isGone ? "removed" : "changed"].push(first, last);
  return found;
}

/** The differences of some ranges, in batches. */
export async function* differencesOf(
  database: Database,
  scope: Scope,
  spans: readonly number[],
): AsyncGenerator<DifferentEntity[]> {
  let size = 10;
  for (let at = 0; at < spans.length;) {
    const numbers = spans.slice(at, at + 2 * size);
    at += 2 * size;
    const { entries, bytes } = await entriesAt(database, scope, numbers);
    const differences: DifferentEntity[] = [];
    for (let n = 0; n < numbers.length; n += 2) {
      const first = entries.get(numbers[n] ?? 0);
      const last = entries.get(numbers[n + 1] ?? 0);
      if (first === undefined || last === undefined)
        throw new Error("an entry that was compared is not there any more");
      differences.push(differenceOf(first, last));
    }
    yield differences;
    size = Math.max(1, Math.min(MOST_READ, Math.floor((size * READ_BYTES) / bytes)));
  }
}

function differenceOf(first: JournalDocument, last: JournalDocument): DifferentEntity {
  const { before } = currentSides(first);
  const { after } = currentSides(last);
  const [was, is] = [before, after].map((text) => (text === null ? null : (JSON.parse(text) as Entity)));
  const { entity, entity_id, network_id, name } = last;
  const shown = is ?? was ?? {};
  const host_id = entity === "Host" ? entity_id : (shown["host_id"] ?? null);
  return {
    head: { entity, entity_id, network_id, host_id, name },
    ...{ before, after },
    fields: was && is ? differing(was, is) : [],
  };
}
