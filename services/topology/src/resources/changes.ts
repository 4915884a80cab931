import {
  getHostHistory,
  getInterfaceHistory,
  getNetworkHistory,
  getPortHistory,
  getServiceHistory,
  getSubnetHistory,
  getTagHistory,
  listChanges,
  streamChanges,
} from "@nts/shared/contract";
import { AppError, validationFailed } from "@nts/shared/errors";
import { type HandlerResponse, respond } from "@nts/shared/http/respond";
import { INTERNAL } from "@nts/shared/http/headers";
import { mount, type Router, type UserCall } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { rangeOf } from "@nts/shared/numbered";
import { goneBehind } from "../journal/cursors.js";
import { JOURNALED } from "../journal/entries.rules.js";
import type { Feeds } from "../journal/feeds.js";
import type { ChangeFilter } from "../journal/matching.rules.js";
import type { Asked, JournalReader, Reached } from "../journal/read.js";
import { waitFor, type Waiting } from "../journal/waiting.js";
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
  const histories = [
    [getNetworkHistory, "networks"],
    [getSubnetHistory, "subnets"],
    [getHostHistory, "hosts"],
    [getInterfaceHistory, "interfaces"],
    [getPortHistory, "ports"],
    [getServiceHistory, "services"],
    [getTagHistory, "tags"],
  ] as const;
  for (const [operation, kind] of histories)
    mount(router, operation, (call) => {
      const { id } = call.params;
      const entity = JOURNALED[kind];
      const filter = kind === "hosts" ? { host_id: id } : { entity_id: id, entity };
      // New entities may have no entry yet.
      const isThere = async (): Promise<boolean> => (await storage[kind].find(call.scope, id)) !== null;
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
  const asked: Asked = { filter, range, direction, limit };

  const metaOf = ({ n, isEnd }: Reached): object => ({
    next: direction === "desc" && (isEnd || n === null) ? null : cursors.of(organization, n ?? from ?? goneForCaller),
    oldest,
  });
  const reached: Reached = { n: null, isEnd: false };
  const page = await begin(reader, scope, asked, reached);
  if (wait === 0 || page.first !== null || until !== undefined) return respondWithPage(page, () => metaOf(reached));

  const networks = scope.networks === "all" ? "all" : new Set([...scope.networks, null]);
  const waiter = waiting.begin(principal.userId, organization, networks);
  const look = async (): Promise<FirstPage> => {
    const { last: newest } = await reader.ends(scope);
    return begin(reader, scope, { ...asked, range: { first: (reached.n ?? range.first - 1) + 1, last: newest } }, reached); // prettier-ignore
  };
  const isThere = ({ first }: FirstPage): boolean => first !== null;
  const waited = waitFor(waiter, { seconds: wait, isOver: () => work.isAbandoned(), look, isThere });
  return respond.jsonPieces(
    (async function* () {
      // Headers are sent at once to show that the response has started.
      yield "";
      try {
        yield* pagePieces(await waited, () => metaOf(reached));
      } finally {
        waiter.end();
      }
    })(),
    OPEN_META,
  );
}

/** The subject of a history. */
interface Subject {
  readonly filter: ChangeFilter;
  readonly entity: string;
  readonly isThere: () => Promise<boolean>;
}

async function historyOf(
  { reader }: JournalAccess,
  { principal, query }: Pick<UserCall<typeof getHostHistory>, "principal" | "query">,
  { filter, entity, isThere }: Subject,
): Promise<HandlerResponse<never>> {
  const { scope } = principal;
  const cursors = await reader.cursors();
  const { after, limit, order_direction: direction } = query;
  const from = after === undefined ? null : cursors.read(scope.organizationId, after);
  const { last } = await reader.ends(scope);
  const all = { first: 1, last };
  const range = direction === "asc" ? { first: (from ?? 0) + 1, last } : { first: 1, last: (from ?? last + 1) - 1 };
  const reached: Reached = { n: null, isEnd: false };
  const page = await begin(reader, scope, { filter, range, direction, limit }, reached);
  const isKnown = async (): Promise<boolean> => {
    const any = await begin(reader, scope, { filter, range: all, direction: "desc", limit: 1 }, { n: null, isEnd: false }); // prettier-ignore
    return any.first !== null || isThere();
  };
  if (page.first === null && !(await isKnown())) throw new AppError("not_found", { entity });
  return respondWithPage(page, () => {
    const next = reached.n ?? (direction === "asc" ? (from ?? 0) : null);
    const isLast = next === null || (reached.isEnd && direction === "desc");
    return { next: isLast ? null : cursors.of(scope.organizationId, next) };
  });
}

/** A page whose first rows were read; null if it has none. */
interface FirstPage {
  readonly first: readonly string[] | null;
  readonly rest: AsyncGenerator<string[], void, void>;
}

async function begin(reader: JournalReader, scope: Scope, asked: Asked, reached: Reached): Promise<FirstPage> {
  const rest = reader.texts(scope, asked, reached);
  const { value, done } = await rest.next();
  return { first: done === true ? null : value, rest };
}

const OPEN_META = { headers: { [INTERNAL.meta]: "open" } };

function respondWithPage(page: FirstPage, meta: () => object): HandlerResponse<never> {
  return respond.jsonPieces(pagePieces(page, meta), OPEN_META);
}

async function* pagePieces({ first, rest }: FirstPage, meta: () => object): AsyncGenerator<string> {
  let before = "[";
  for (let rows = first; rows !== null;) {
    yield before + rows.join(",");
    before = ",";
    const { value, done } = await rest.next();
    rows = done === true ? null : value;
  }
  // The gateway adds the common members.
  yield `${first === null ? "[" : ""}],"meta":${JSON.stringify(meta()).slice(0, -1)}`;
}
