import type { ClientSession, Document, Timestamp } from "mongodb";
import type { HostRecord, Interface, Port, Service } from "@nts/shared/contract";
import type { ListPart } from "@nts/shared/http/answer";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import type { Database } from "../database.js";
import { type EntityDocument, type EntityReader, REVISION, STORED, type Stored } from "../entities.js";
import type { Join } from "../lists.js";
import { keyedTextIn, rowsIn, textFields } from "../rows.js";
import { BY_ID, HOST_ORDER_INDEX, HOST_PORTS_INDEX } from "../indexes.js";
import { within } from "../scope.js";
import { type Scoped, scopedCollection } from "../scoped-collection.js";
import { hostRevision } from "./host-revision.rules.js";

// Hosts are answered with everything on them. That is read by the ids of the hosts, some at a time, each group of one
// moment, and put together as text. A host can have 1,000 of each kind and more bytes than a process should hold: what
// does not fit is read again for fewer hosts, and a single host that does not fit is sent while it is read.

/** What the children of a group of hosts may have together to be put together in memory. */
const GROUP_BYTES = 4 * 1_048_576;
const FIRST_GROUP = 50;
const LARGEST_GROUP = 100;

interface Child {
  readonly kind: "interfaces" | "ports" | "services";
  readonly order: Readonly<Record<string, 1>>;
}

/** What stands on a host, in the order in which it is answered; the orders within are those of indexes. */
const CHILDREN: readonly Child[] = [
  { kind: "interfaces", order: HOST_ORDER_INDEX },
  { kind: "ports", order: HOST_PORTS_INDEX },
  { kind: "services", order: HOST_ORDER_INDEX },
];

/** What reads the stored forms of hosts and of what stands on them. */
export interface HostReaders {
  readonly hosts: EntityReader<HostRecord>;
  readonly interfaces: EntityReader<Interface>;
  readonly ports: EntityReader<Port>;
  readonly services: EntityReader<Service>;
}

/** A host with everything on it; interfaces and services in the order of their positions. */
export interface KnownHost {
  readonly host: Stored<HostRecord>;
  readonly interfaces: readonly Stored<Interface>[];
  readonly ports: readonly Stored<Port>[];
  readonly services: readonly Stored<Service>[];
}

/** A host with its children as JSON, in pieces when it is large. */
export interface HostText {
  readonly text: Buffer | AsyncIterable<Buffer>;
  /** See `hostRevision`. */
  readonly revision: string;
}

export interface HostsWithChildren {
  /** Joins hosts with what is on them. */
  readonly withChildren: Join;
  /**
   * One host as JSON, all of one moment; null when it is not in the scope.
   *
   * @param time the moment, such as that of a commit; the present one by default
   */
  readWithChildren(scope: Scope, id: string, time?: Timestamp): Promise<HostText | null>;
  /** Hosts with their children, all of one moment, in no order; those that are not in the scope are left out. */
  findWithChildren(scope: Scope, ids: readonly string[], tx?: ClientSession): Promise<KnownHost[]>;
}

/** Makes what reads hosts with their children. */
export function createHostsWithChildren({ db, batches, share }: Database, readers: HostReaders): HostsWithChildren {
  async function* rows(scope: Scope, pages: AsyncIterable<readonly string[]>): AsyncGenerator<ListPart> {
    let size = FIRST_GROUP;
    for await (const ids of pages)
      for (let at = 0; at < ids.length;) {
        const group = ids.slice(at, at + size);
        const bytes = yield* groupRows(scope, group);
        if (bytes === null) size = Math.ceil(group.length / 2);
        else {
          at += group.length;
          if (bytes < GROUP_BYTES / 4) size = Math.min(2 * size, LARGEST_GROUP);
        }
      }
  }

  /** @returns the bytes of their children; null, and no rows, when several hosts have too many */
  async function* groupRows(scope: Scope, ids: readonly string[]): AsyncGenerator<ListPart, number | null> {
    const moment: Moment = {};
    const hosts = await textsOf(scope, ids, moment);
    const children = await gathered(scope, ids, moment);
    if (children === null && ids.length > 1) return null;
    for (const id of ids) {
      const host = hosts.get(id);
      if (host === undefined) continue;
      if (children !== null) yield { text: Buffer.concat([COMMA, ...wholeText(id, host, children)]), rows: 1 };
      else {
        yield { text: COMMA, rows: 1 };
        for await (const text of piecesOf(scope, { id, host, moment })) yield { text, rows: 0 };
      }
    }
    return children?.bytes ?? GROUP_BYTES;
  }

  async function textsOf(scope: Scope, ids: readonly string[], moment: Moment): Promise<Map<string, Buffer>> {
    const projection = { _id: 1, ...textFields(readers.hosts, scope) };
    const filter = { ...within(scope), _id: { $in: ids } };
    const texts = new Map<string, Buffer>();
    for await (const batch of batches(scope, { collection: "hosts", filter, projection, hint: BY_ID }, moment))
      for (const start of batch.starts) {
        const { id, text } = keyedTextIn(readers.hosts, scope, batch, { start, key: "_id" });
        texts.set(id, text);
      }
    return texts;
  }

  /** @returns null when they are more than fits */
  async function gathered(scope: Scope, hostIds: readonly string[], moment: Moment): Promise<Gathered | null> {
    const texts = { interfaces: byHost(), ports: byHost(), services: byHost() };
    let bytes = 0;
    let revisions = 0;
    const gather = async ({ kind, order }: Child): Promise<void> => {
      const projection = { _id: 0, host_id: 1, revision: 1, ...textFields(readers[kind], scope) };
      const find = { collection: kind, projection, filter: on(scope, hostIds), sort: order, hint: order };
      for await (const batch of batches(scope, find, moment)) {
        bytes += batch.bytes.length;
        if (bytes > GROUP_BYTES) return;
        for (const start of batch.starts) {
          const { id, text, revision } = keyedTextIn(readers[kind], scope, batch, { start, key: "host_id" });
          if (kind === "services") revisions += revision;
          const mine = texts[kind].get(id);
          if (mine === undefined) texts[kind].set(id, [text]);
          else mine.push(COMMA, text);
        }
      }
    };
    await Promise.all(CHILDREN.map(gather));
    return bytes > GROUP_BYTES ? null : { texts, bytes, revisions };
  }

  /** The revisions of the services of a host that is too large to be gathered. */
  async function revisionsOf(scope: Scope, id: string, moment: Moment): Promise<number> {
    const [find, hint] = [{ collection: "services", filter: on(scope, [id]) }, HOST_ORDER_INDEX];
    let sum = 0;
    for await (const batch of batches(scope, { ...find, hint, projection: REVISION }, moment))
      for (const found of documentsIn(batch) as EntityDocument[]) sum += readers.services.revisionIn(found, scope);
    return sum;
  }

  async function* piecesOf(scope: Scope, { id, host, moment }: OneHost): AsyncGenerator<Buffer> {
    yield host.subarray(0, -1);
    for (const { kind, order } of CHILDREN) {
      yield opening(kind);
      let isFirst = true;
      const projection = { _id: 0, ...textFields(readers[kind], scope) };
      const find = { collection: kind, projection, filter: on(scope, [id]), sort: order, hint: order };
      for await (const batch of batches(scope, find, moment)) {
        yield rowsIn(readers[kind], scope, batch).subarray(isFirst ? 1 : 0);
        isFirst = false;
      }
      yield CLOSE;
    }
    yield END;
  }

  return {
    withChildren: rows,
    readWithChildren: async (scope, id, time) => {
      const moment: Moment = { time };
      const filter = { ...within(scope), _id: id };
      const find = { collection: "hosts", filter, projection: STORED, limit: 1 };
      for await (const batch of batches(scope, find, moment)) {
        const [found] = documentsIn(batch) as [EntityDocument];
        const stored = readers.hosts.differs(scope) ? readers.hosts.storedIn(found, scope) : null;
        const host = Buffer.from(stored === null ? found.wire : JSON.stringify(stored.entity));
        const children = await gathered(scope, [id], moment);
        const revisions = children?.revisions ?? (await revisionsOf(scope, id, moment));
        const text = children === null ? piecesOf(scope, { id, host, moment }) : wholeText(id, host, children);
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

interface OneHost {
  readonly id: string;
  readonly host: Buffer;
  /** That of which the host is. */
  readonly moment: Moment;
}

/** The texts of children by host, with commas between them, and their bytes together. */
interface Gathered {
  readonly texts: Readonly<Record<Child["kind"], Map<string, Buffer[]>>>;
  readonly bytes: number;
  /** Those of the services, added up. */
  readonly revisions: number;
}

const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("]");
const END = Buffer.from("}");

const opening = (kind: string): Buffer => Buffer.from(`,"${kind}":[`);
const byHost = (): Map<string, Buffer[]> => new Map();
const on = (scope: Scope, hostIds: readonly string[]): Scoped & Document => ({
  ...within(scope),
  host_id: { $in: hostIds },
});

function wholeText(id: string, host: Buffer, { texts }: Gathered): Buffer[] {
  const children = CHILDREN.flatMap(({ kind }) => [opening(kind), ...(texts[kind].get(id) ?? []), CLOSE]);
  return [host.subarray(0, -1), ...children, END];
}

/** @param session a transaction, or a snapshot */
async function known(
  db: Database["db"],
  readers: HostReaders,
  { scope, ids, session }: { scope: Scope; ids: readonly string[]; session: ClientSession },
): Promise<KnownHost[]> {
  // Said with each read, because that of the client would take the place of the session's.
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
