import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { hostOf, isSighting, type Journaled, type JournalDocument } from "../journal/entries.rules.js";
import { currentSides } from "../journal/entry-texts.js";
import { entriesAt, entriesIn, type JournalReader } from "../journal/read.js";
import type { Storage } from "../storage/storage.js";
import { COLLECTION_OF, type Undo, undosOf } from "./undo.rules.js";

// What a request did to each entity, without the states, which are read when they are needed.

/** Maximum entities of a request that is reverted. */
export const MOST_SPANS = 300_000;

/** From the first to the last entry of an entity. */
export interface Span {
  readonly kind: Journaled;
  readonly id: string;
  /** Of a host, its own. */
  readonly hostId: string | null;
  /** Numbers of the first and the last entry. */
  readonly first: number;
  last: number;
  /** The request created it. */
  readonly isNew: boolean;
  /** The request deleted it in the end. */
  isGone: boolean;
  /** The last revision in the journal. */
  revision: number;
}

const PROJECTION = { n: 1, action: 1, entity: 1, entity_id: 1, host_id: 1, revision: 1 } as const;
type Head = Pick<JournalDocument, keyof typeof PROJECTION>;

/** @param most entities @throws AppError `too_many_changes` */
export async function spansOf(
  { database }: Pick<Storage, "database">,
  reader: Pick<JournalReader, "ends">,
  scope: Scope,
  { request_id, most }: { readonly request_id: string; readonly most: number },
): Promise<Span[]> {
  const { gone, last } = await reader.ends(scope);
  const range = { first: gone + 1, last };
  const query = {
    filter: { request_id },
    range,
    direction: "asc",
    limit: 2 * MOST_SPANS,
    projection: PROJECTION,
  } as const;
  const spans = new Map<string, Span>();
  for await (const batch of entriesIn(database, scope, query)) {
    for (const { n, action, entity, entity_id: id, host_id, revision } of batch as Head[]) {
      // What a source saw cannot be taken back.
      if (isSighting(action)) continue;
      const known = spans.get(id);
      const isGone = action === "deleted";
      const kind = COLLECTION_OF.get(entity);
      const hostId = hostOf({ host_id });
      if (known !== undefined) Object.assign(known, { last: n, isGone, revision });
      else if (kind !== undefined)
        spans.set(id, { kind, id, hostId, first: n, last: n, isNew: action === "created", isGone, revision });
    }
    if (spans.size > most) throw new AppError("too_many_changes", { limit: most });
  }
  // What it created and deleted again leaves nothing to undo.
  return [...spans.values()].filter(({ isNew, isGone }) => !(isNew && isGone));
}

/** The inverse of some spans. */
export async function undosFor(
  { database }: Pick<Storage, "database">,
  scope: Scope,
  spans: readonly Span[],
): Promise<Undo[]> {
  const { entries } = await entriesAt(
    database,
    scope,
    spans.flatMap(({ first, last }) => (first === last ? [first] : [first, last])),
  );
  const changes = [...entries.values()].sort((a, b) => a.n - b.n).map((entry) => ({ entry, ...currentSides(entry) }));
  return undosOf(changes);
}
