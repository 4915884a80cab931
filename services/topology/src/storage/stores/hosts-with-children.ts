import type { ClientSession, Timestamp } from "mongodb";
import type { HostRecord, Interface, Port, Service } from "@nts/shared/contract";
import type { ListPart } from "@nts/shared/http/respond";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import type { Database } from "../database.js";
import { withSighting, type EntityDocument, type Stored } from "../entities.js";
import { STORED } from "../entity-reader.js";
import type { Join } from "../lists.js";
import { sightedText } from "../rows.js";
import { within } from "../scope.js";
import { scopedCollection } from "../scoped-collection.js";
import { hostRevision } from "./host-revision.rules.js";
import {
  CHILDREN,
  COMMA,
  gathered,
  GROUP_BYTES,
  type HostReaders,
  on,
  piecesOf,
  type Reading,
  revisionsOf,
  textsOf,
  wholeText,
} from "./host-texts.js";

// Returns hosts with their children, read in groups from one snapshot each. A host can have 1,000 of each kind and
// exceed memory limits: then fewer hosts are read at a time, and a single large one is streamed.

const FIRST_GROUP = 50;
const LARGEST_GROUP = 100;

/** A host with its children; interfaces and services ordered by position. */
export interface KnownHost {
  readonly host: Stored<HostRecord>;
  readonly interfaces: readonly Stored<Interface>[];
  readonly ports: readonly Stored<Port>[];
  readonly services: readonly Stored<Service>[];
}

/** A host with its children as JSON, in pieces if it is large. */
export interface HostText {
  readonly text: Buffer | AsyncIterable<Buffer>;
  /** See `hostRevision`. */
  readonly revision: string;
}

export interface HostsWithChildren {
  /** Joins hosts with their children. */
  readonly withChildren: Join;
  /**
   * One host as JSON from one snapshot; null if it is not in the scope.
   *
   * @param time of the snapshot, such as that of a commit; by default now
   */
  readWithChildren(scope: Scope, id: string, time?: Timestamp): Promise<HostText | null>;
  /** Hosts with their children from one snapshot, unordered; those outside the scope are omitted. */
  findWithChildren(scope: Scope, ids: readonly string[], tx?: ClientSession): Promise<KnownHost[]>;
}

/** Creates the reader of hosts with their children. */
export function createHostsWithChildren({ db, batches, share }: Database, readers: HostReaders): HostsWithChildren {
  const reading = { batches, readers };
  return {
    withChildren: (scope, pages) => rows(reading, scope, pages),
    readWithChildren: async (scope, id, time) => {
      const moment: Moment = { time };
      const filter = { ...within(scope), _id: id };
      const find = { collection: "hosts", filter, projection: STORED, limit: 1 };
      for await (const batch of batches(scope, find, moment)) {
        const [found] = documentsIn(batch) as [EntityDocument];
        const stored = readers.hosts.losesTags(scope) ? readers.hosts.storedIn(found, scope) : null;
        const host =
          stored === null
            ? sightedText(readers.hosts.upgraded(Buffer.from(found.wire), found.form), found)
            : Buffer.from(JSON.stringify(withSighting(stored)));
        const children = await gathered(reading, scope, [id], moment);
        const revisions = children?.revisions ?? (await revisionsOf(reading, scope, id, moment));
        const text = children === null ? piecesOf(reading, scope, { id, host, moment }) : wholeText(id, host, children);
        const revision = hostRevision((stored ?? found).revision, revisions);
        return { text: Array.isArray(text) ? Buffer.concat(text) : text, revision };
      }
      return null;
    },
    findWithChildren: async (scope, ids, tx) =>
      tx === undefined
        ? share(scope, () =>
            db.client.withSession({ snapshot: true }, (snapshot) =>
              known(db, readers, { scope, ids, session: snapshot }),
            ),
          )
        : known(db, readers, { scope, ids, session: tx }),
  };
}

/** Rows of hosts, in groups as large as fit. */
async function* rows(
  reading: Reading,
  scope: Scope,
  pages: AsyncIterable<readonly string[]>,
): AsyncGenerator<ListPart> {
  let size = FIRST_GROUP;
  for await (const ids of pages)
    for (let at = 0; at < ids.length;) {
      const group = ids.slice(at, at + size);
      const bytes = yield* groupRows(reading, scope, group);
      if (bytes !== null) at += group.length;
      size = nextSize(size, group.length, bytes);
    }
}

/** @param bytes of the last group's children; null if too many */
function nextSize(size: number, last: number, bytes: number | null): number {
  if (bytes === null) return Math.ceil(last / 2);
  return bytes < GROUP_BYTES / 4 ? Math.min(2 * size, LARGEST_GROUP) : size;
}

/** @returns the bytes of their children; null, without rows, if several hosts have too many */
async function* groupRows(
  reading: Reading,
  scope: Scope,
  ids: readonly string[],
): AsyncGenerator<ListPart, number | null> {
  const moment: Moment = {};
  const hosts = await textsOf(reading, scope, ids, moment);
  const children = await gathered(reading, scope, ids, moment);
  if (children === null && ids.length > 1) return null;
  for (const id of ids) {
    const host = hosts.get(id);
    if (host === undefined) continue;
    if (children !== null) yield { text: Buffer.concat([COMMA, ...wholeText(id, host, children)]), rows: 1 };
    else {
      yield { text: COMMA, rows: 1 };
      for await (const text of piecesOf(reading, scope, { id, host, moment })) yield { text, rows: 0 };
    }
  }
  return children?.bytes ?? GROUP_BYTES;
}

/** @param session a transaction, or a snapshot */
async function known(
  db: Database["db"],
  readers: HostReaders,
  { scope, ids, session }: { scope: Scope; ids: readonly string[]; session: ClientSession },
): Promise<KnownHost[]> {
  // Set on each read, because the client's would override the session's.
  const options = { session, ...(session.inTransaction() ? {} : { readConcern: { level: "snapshot" as const } }) };
  const hosts = await scopedCollection<EntityDocument>(db, "hosts")
    .find({ ...within(scope), _id: { $in: [...ids] } }, { ...options, projection: { ...STORED, _id: 1 } })
    .toArray();
  const found = new Map(
    hosts.map((host) => [
      host._id,
      {
        host: readers.hosts.storedIn(host, scope),
        interfaces: [] as Stored<Interface>[],
        ports: [] as Stored<Port>[],
        services: [] as Stored<Service>[],
      },
    ]),
  );
  for (const { kind, order } of CHILDREN) {
    const children = scopedCollection<EntityDocument>(db, kind).find(on(scope, ids), {
      ...options,
      projection: { ...STORED, host_id: 1 },
      sort: order,
      hint: order,
    });
    for (const child of await children.toArray())
      (found.get(String(child["host_id"]))?.[kind] as Stored<unknown>[] | undefined)?.push(
        readers[kind].storedIn(child, scope),
      );
  }
  return [...found.values()];
}
