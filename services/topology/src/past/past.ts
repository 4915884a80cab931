import { KINDS_ON_HOSTS } from "@nts/shared/contract/kinds";
import { AppError } from "@nts/shared/errors";
import { respond, type HandlerResponse, type ListPart } from "@nts/shared/http/respond";
import { INTERNAL } from "@nts/shared/http/headers";
import type { Scope } from "@nts/shared/http/tenancy";
import { type Keyset, keysetOf, type PageQuery } from "@nts/shared/mongo/keyset";
import type { Work } from "@nts/shared/work";
import { DEADLINES } from "@nts/shared/timing";
import type { JournalReader } from "../journal/read.js";
import type { Entities, Entity } from "../storage/entities.js";
import { BINDING_INDEXES, BY_ID, type IndexKey } from "../storage/indexes.js";
import { countIndex, listIndex, inStream, type ListPlan, streamed } from "../storage/lists.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import type { ChildKinds } from "./hosts.js";
import { createHostPieces } from "./hosts.js";
import { inBatches, type Kind } from "./entities.js";
import { type Changed, changedRows, type Row, rowsAt, type ListRequest } from "./rows.js";
import { createWriter, NOTHING, type Piece, rowPiece } from "./texts.js";
import { createViews, type OpenView, type View } from "./view.js";

// Lists and single reads of past states.

/** Kinds whose changes affect a kind, if not only its own: services, for example, are sorted by host name. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  Host: ["Host", ...KINDS_ON_HOSTS],
  Service: ["Service", "Host"],
  Binding: ["Service"],
};

/** The caller and the moment. */
export interface PastQuery {
  readonly work: Work;
  /** The caller's networks, including hidden ones. */
  readonly rights: Scope;
  readonly asOf: string;
}

/** Creates the plan of a list for a scope. */
export type PlanOf = (scope: Scope) => Omit<ListPlan, "work" | "scope" | "total" | "join">;

export interface Past {
  readonly open: OpenView;
  /** Reads a list. @throws AppError as {@link OpenView} */
  list<T extends Entity>(
    entities: Entities<T>,
    paging: PageQuery,
    selection: PastQuery & Listed,
  ): Promise<HandlerResponse<never>>;
  /** Reads an entity; hosts with their children. @throws AppError `not_found`, and as {@link OpenView} */
  one<T extends Entity>(entities: Entities<T>, id: string, selection: PastQuery): Promise<HandlerResponse<never>>;
}

export interface Listed {
  readonly networkId: string | undefined;
  readonly planOf: PlanOf;
}

export function createPast(storage: Storage, reader: JournalReader): Past {
  const open = createViews(storage.database, reader);
  const kinds = storage as unknown as ChildKinds;

  return {
    open: (looked) => inStream(looked.work, () => open(looked)),
    list: async (entities, paging, { work, rights: whole, asOf, networkId, planOf }) => {
      const rights = narrowedTo(whole, networkId);
      const kind = entities as unknown as Kind;
      const { keyOf } = planOf(rights);
      const keyset = keysetOf({ name: kind.name, organizationId: rights.organizationId }, paging, keyOf);
      const network_id = kind.ofNetworks ? networkId : undefined;
      const { view, changed, request } = await inStream(work, async () => {
        const kindNames = KINDS[kind.name] ?? [kind.name];
        const view = await open({
          work,
          rights,
          asOf,
          filter: { network_id },
          kinds: kindNames,
          isPaged: paging.limit > 0,
        });
        const filter = planOf(rights).filter;
        const request: ListRequest = { kind, sort: keyset.sort, filter, storedFilter: planOf(view.stored).filter };
        return { view, request, changed: await changedRows(view, kinds, request) };
      });
      const plan = { ...planOf(view.stored), scope: view.stored };
      const hints = { hint: listIndex(plan, paging), countHint: countIndex(plan) };
      const listing: Listing = { view, request, changed, keyset, paging, ...hints };
      const writer = createWriter(view);
      const hostPieces = kind.name === "Host" ? createHostPieces(view, kinds) : null;
      async function* written(rows: readonly Row[]): AsyncGenerator<ListPart> {
        if (hostPieces === null) yield* writer(rows.map(rowPiece));
        else for await (const pieces of hostPieces(rows, true)) yield* writer(pieces);
      }
      const { limit, offset, cursor } = paging;
      const page = pageOf(listing, written);
      const total = limit === 0 && cursor === undefined ? null : () => totalOf(listing);
      const list = respond.list(limit === 0 ? streamed(work, page.parts) : page.parts, {
        total,
        limit,
        offset,
        next: page.next,
      });
      return limit === 0 ? { ...list, headers: { [INTERNAL.changesCursor]: view.cursor } } : list;
    },
    one: (entities, id, { work, rights, asOf }) =>
      inStream(work, async () => {
        const kind = entities as unknown as Kind;
        // Children of a host, and bindings of a service, are not found by its own entries alone.
        const filter = kind.name === "Host" || kind.name === "Binding" ? {} : { entity_id: id };
        const view = await open({ work, rights, asOf, filter, kinds: KINDS[kind.name] ?? [kind.name] });
        const found = await rowOf(view, kinds, kind, id);
        if (found === null) throw new AppError("not_found", { entity: kind.name });
        const writer = createWriter(view);
        if (kind.name === "Host")
          return respond.jsonPieces(streamed(work, hostText(createHostPieces(view, kinds)([found], false), writer)));
        const texts: Buffer[] = [];
        for await (const { text } of writer([{ before: NOTHING, ref: found }])) texts.push(text);
        return respond.json(Buffer.concat(texts));
      }),
  };
}

async function rowOf(view: View, kinds: ChildKinds, kind: Kind, id: string): Promise<Row | null> {
  const filter = { _id: { $in: [id] } };
  const request: ListRequest = { kind, sort: { _id: 1 }, filter, storedFilter: filter };
  const changed = await changedRows(view, kinds, request);
  const find = { hint: BY_ID, segments: [{}], place: null, most: 1, maxTimeMS: DEADLINES.operationMs };
  for await (const [row] of rowsAt(view, request, changed, find)) if (row !== undefined) return row;
  return null;
}

async function* hostText(
  pieces: AsyncIterable<readonly Piece[]>,
  writer: ReturnType<typeof createWriter>,
): AsyncGenerator<Buffer> {
  for await (const some of pieces) for await (const { text } of writer(some)) yield text;
}

interface Listing {
  readonly view: View;
  readonly request: ListRequest;
  readonly changed: Changed;
  readonly keyset: Keyset;
  readonly paging: PageQuery;
  readonly hint: IndexKey | undefined;
  readonly countHint: IndexKey;
}

/** Reads one row more than the page, to know whether there is another page. */
function pageOf(
  { view, request, changed, keyset, paging, hint }: Listing,
  written: (rows: readonly Row[]) => AsyncGenerator<ListPart>,
): { parts: AsyncGenerator<ListPart>; next: () => string | null } {
  const { limit, offset } = paging;
  const { segments, place, sort } = keyset;
  const most = limit === 0 ? 0 : offset + limit + 1;
  // Children follow each host, and an offset may be between two rows.
  const isJoined = request.kind.name !== "Host" && offset === 0;
  const find = { hint, segments, place, most, maxTimeMS: DEADLINES.streamMs, isJoined };
  let next: string | null = null;
  async function* parts(): AsyncGenerator<ListPart> {
    let skip = offset;
    let left = limit === 0 ? Infinity : limit;
    let last: Row | undefined;
    for await (const rows of rowsAt(view, request, changed, find)) {
      const passed = Math.min(skip, rows.length);
      skip -= passed;
      // Without a limit, rows before the offset count towards the total.
      if (limit === 0 && passed > 0) yield { text: Buffer.alloc(0), rows: passed };
      const shown = rows.slice(passed, passed + left);
      yield* written(shown);
      left -= shown.length;
      last = shown.at(-1) ?? last;
      if (shown.length === rows.length - passed) continue;
      next = last === undefined ? null : cursorBehind(keyset, sort, last);
      return;
    }
  }
  return { parts: parts(), next: () => next };
}

function cursorBehind({ cursorAfter }: Keyset, sort: Keyset["sort"], { place }: Row): string {
  const valueAt = (at: number, field: string) => (field === "created_at" ? new Date(Number(place[at])) : place[at]);
  return cursorAfter(Object.fromEntries(Object.keys(sort).map((field, at) => [field, valueAt(at, field)])));
}

/** Maximum ids per count query. */
const COUNTED = 5_000;

function totalOf(listing: Listing): Promise<number> {
  const { view, request } = listing;
  return view.derived.once(["total", request.kind.name, request.filter], () => count(listing));
}

/** Counts matching rows: unchanged stored ones, and past states of changed ones. */
async function count({ view, request, changed, countHint }: Listing): Promise<number> {
  const { stored, moment } = view;
  const { kind, storedFilter } = request;
  const { rows, field, ids } = changed;
  let total = rows.length + (await kind.countAt(stored, storedFilter, countHint, moment));
  const index = field === "_id" ? BY_ID : BINDING_INDEXES.service_id;
  for (const some of inBatches([...ids.keys()], COUNTED))
    total -= await kind.countAt(stored, { $and: [storedFilter, { [field]: { $in: some } }] }, index, moment);
  return total;
}
