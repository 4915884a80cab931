import { HISTORIES, KIND_NAMES, listChanges, pluralOf, streamChanges } from "@nts/shared/contract";
import { AppError, validationFailed } from "@nts/shared/errors";
import { type HandlerResponse, respond } from "@nts/shared/http/respond";
import { INTERNAL } from "@nts/shared/http/headers";
import { mount, type Router, type UserCall } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { rangeOf } from "@nts/shared/numbered";
import { goneBehind } from "../journal/cursors.js";
import type { Feeds } from "../journal/feeds.js";
import type { ChangeFilter } from "../journal/matching.rules.js";
import type { EntriesQuery, JournalReader, Reached } from "../journal/read.js";
import { waitFor, type Waiter, type Waiting } from "../journal/waiting.js";
import type { Storage } from "../storage/storage.js";
import { streamOf } from "./change-stream.js";

/** Dependencies of journal reads. */
export interface JournalAccess {
  readonly reader: JournalReader;
  readonly waiting: Waiting;
  readonly feeds: Feeds;
}

export function mountChanges(router: Router, journal: JournalAccess, storage: Storage): void {
  mount(router, listChanges, (call) => changesOf(journal, call));
  mount(router, streamChanges, (call) => streamOf(journal.feeds, call));
  for (const entity of KIND_NAMES)
    mount(router, HISTORIES[entity] as typeof HISTORIES.Host, (call) => {
      const { id } = call.params;
      const filter = entity === "Host" ? { host_id: id } : { entity_id: id, entity };
      // New entities may have no entry yet.
      const isThere = async (): Promise<boolean> => (await storage[pluralOf(entity)].find(call.scope, id)) !== null;
      return historyOf(journal, call, { filter, entity, isThere });
    });
}

// The current rights apply; hidden entities were recorded when they were hidden.

async function changesOf({ reader, waiting }: JournalAccess, call: UserCall<typeof listChanges>) {
  const { query, principal, work } = call;
  const { scope } = principal;
  const { after, since, until, wait, limit, order_direction: direction, ...filter } = query;
  if (wait > 0 && direction === "desc") throw validationFailed({ path: "wait", message: "requires the order `asc`" });
  const cursors = await reader.cursors();
  const organization = scope.organizationId;
  const from = after === undefined ? null : cursors.read(organization, after);
  const { last, gone, goneForCaller } = await reader.ends(scope);
  const oldest = cursors.of(organization, goneForCaller);
  if (direction === "asc" && from !== null && from < goneForCaller)
    throw goneBehind(cursors, organization, goneForCaller);

  const range = await rangeOf({ first: gone + 1, last }, { direction, from, since, until }, (time, within) =>
    reader.firstSince(scope, time, within),
  );
  const selection: EntriesQuery = { filter, range, direction, limit };

  const metaOf = ({ n, isEnd }: Reached): object => ({
    next: direction === "desc" && (isEnd || n === null) ? null : cursors.of(organization, n ?? from ?? goneForCaller),
    oldest,
  });
  const reached: Reached = { n: null, isEnd: false };
  const look = async (): Promise<FirstPage> => {
    const { last: newest } = await reader.ends(scope);
    return begin(
      reader,
      scope,
      { ...selection, range: { first: (reached.n ?? range.first - 1) + 1, last: newest } },
      reached,
    );
  };
  const pages = { first: () => begin(reader, scope, selection, reached), meta: () => metaOf(reached) };
  if (wait === 0 || until !== undefined) return respondWith(pagePieces(pages));
  const networks = scope.networks === "all" ? "all" : new Set([...scope.networks, null]);
  const startWaiting = (): Waiter => waiting.begin(principal.userId, organization, networks);
  return respondWith(awaitedPieces(pages, { startWaiting, seconds: wait, isOver: () => work.isAbandoned(), look }));
}

/** The subject of a history. */
interface Subject {
  readonly filter: ChangeFilter;
  readonly entity: string;
  readonly isThere: () => Promise<boolean>;
}

async function historyOf(
  { reader }: JournalAccess,
  { principal, query }: Pick<UserCall<typeof HISTORIES.Host>, "principal" | "query">,
  { filter, entity, isThere }: Subject,
): Promise<HandlerResponse<never>> {
  const { scope } = principal;
  const cursors = await reader.cursors();
  const { after, since, until, limit, order_direction: direction, ...more } = query;
  const from = after === undefined ? null : cursors.read(scope.organizationId, after);
  const { last, goneForCaller } = await reader.ends(scope);
  const all = { first: 1, last };
  const range = await rangeOf(all, { direction, from, since, until }, (time, within) =>
    reader.firstSince(scope, time, within),
  );
  const reached: Reached = { n: null, isEnd: false };
  const isRecorded = async (): Promise<boolean> => {
    const selection: EntriesQuery = { filter, range: all, direction: "desc", limit: 1 };
    for await (const _entries of reader.entries(scope, selection, { n: null, isEnd: false })) return true;
    return false;
  };
  if (!(await isThere()) && !(await isRecorded())) throw new AppError("not_found", { entity });
  const selection: EntriesQuery = { filter: { ...more, ...filter }, range, direction, limit };
  const first = (): Promise<FirstPage> => begin(reader, scope, selection, reached);
  const meta = (): object => {
    const next = reached.n ?? (direction === "asc" ? (from ?? goneForCaller) : null);
    const isLast = next === null || (reached.isEnd && direction === "desc");
    const cursorOf = (n: number): string => cursors.of(scope.organizationId, n);
    return { next: isLast ? null : cursorOf(next), oldest: cursorOf(goneForCaller) };
  };
  return respondWith(pagePieces({ first, meta }));
}

// A response may be sent without its pieces: for HEAD, or to a client that is gone. A generator that is ended before it
// starts runs no `finally`, so nothing is acquired outside of them. What fails before the first piece is still a failure
// response.

/** A page whose first rows were read; null if it has none. */
interface FirstPage {
  readonly first: readonly string[] | null;
  readonly rest: AsyncGenerator<string[], void, void>;
}

async function begin(
  reader: JournalReader,
  scope: Scope,
  selection: EntriesQuery,
  reached: Reached,
): Promise<FirstPage> {
  const rest = reader.texts(scope, selection, reached);
  const { value, done } = await rest.next();
  return { first: done === true ? null : value, rest };
}

const OPEN_META = { headers: { [INTERNAL.meta]: "open" } };

function respondWith(pieces: AsyncGenerator<string, void, void>): HandlerResponse<never> {
  return respond.jsonPieces(pieces, OPEN_META);
}

interface Pages {
  readonly first: () => Promise<FirstPage>;
  /** The beginning of `meta`, once everything is read. */
  readonly meta: () => object;
}

async function* pagePieces({ first, meta }: Pages): AsyncGenerator<string, void, void> {
  yield* piecesOf(await first(), meta);
}

interface Poll {
  /** @throws AppError `too_many_in_flight` */
  readonly startWaiting: () => Waiter;
  readonly seconds: number;
  readonly isOver: () => boolean;
  readonly look: () => Promise<FirstPage>;
}

/** The same, waiting for a page that is not empty. */
async function* awaitedPieces(
  { first, meta }: Pages,
  { startWaiting, ...poll }: Poll,
): AsyncGenerator<string, void, void> {
  const page = await first();
  if (page.first !== null) {
    yield* piecesOf(page, meta);
    return;
  }
  const waiter = startWaiting();
  try {
    // Headers are sent at once to show that the response has started.
    yield "";
    yield* piecesOf(await waitFor(waiter, { ...poll, isThere: (found) => found.first !== null }), meta);
  } finally {
    waiter.end();
  }
}

async function* piecesOf({ first, rest }: FirstPage, meta: () => object): AsyncGenerator<string, void, void> {
  try {
    let before = "[";
    for (let rows = first; rows !== null;) {
      yield before + rows.join(",");
      before = ",";
      const { value, done } = await rest.next();
      rows = done === true ? null : value;
    }
    // The gateway adds the common members.
    yield `${first === null ? "[" : ""}],"meta":${JSON.stringify(meta()).slice(0, -1)}`;
  } finally {
    await rest.return();
  }
}
