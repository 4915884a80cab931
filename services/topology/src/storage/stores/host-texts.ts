import type { Document } from "mongodb";
import type { HostRecord, Interface, Port, Service } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import type { RawBatch } from "@nts/shared/mongo/raw-fields";
import type { Database } from "../database.js";
import type { EntityDocument } from "../entities.js";
import { type EntityReader, REVISION } from "../entity-reader.js";
import { BY_ID, HOST_ORDER_INDEX, HOST_PORTS_INDEX } from "../indexes.js";
import { keyedTextIn, rowsIn, textFields } from "../rows.js";
import { within } from "../scope.js";
import type { Scoped } from "../scoped-collection.js";

// The JSON of hosts with their children, assembled from stored texts.

/** Maximum bytes of the children of a group assembled in memory. */
export const GROUP_BYTES = 4 * 1_048_576;

export interface Child {
  readonly kind: "interfaces" | "ports" | "services";
  readonly order: Readonly<Record<string, 1>>;
}

/** The children of a host in response order, each in index order. */
export const CHILDREN: readonly Child[] = [
  { kind: "interfaces", order: HOST_ORDER_INDEX },
  { kind: "ports", order: HOST_PORTS_INDEX },
  { kind: "services", order: HOST_ORDER_INDEX },
];

/** Readers of the stored forms of hosts and children. */
export interface HostReaders {
  readonly hosts: EntityReader<HostRecord>;
  readonly interfaces: EntityReader<Interface>;
  readonly ports: EntityReader<Port>;
  readonly services: EntityReader<Service>;
}

/** Dependencies of reading texts. */
export interface Reading extends Pick<Database, "batches"> {
  readonly readers: HostReaders;
}

/** The texts of hosts, by id. */
export async function textsOf(
  { batches, readers }: Reading,
  scope: Scope,
  ids: readonly string[],
  moment: Moment,
): Promise<Map<string, Buffer>> {
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

/** The children of some hosts; null if they exceed the limit. */
export async function gathered(
  { batches, readers }: Reading,
  scope: Scope,
  hostIds: readonly string[],
  moment: Moment,
): Promise<Gathered | null> {
  const texts = { interfaces: byHost(), ports: byHost(), services: byHost() };
  let bytes = 0;
  let revisions = 0;
  const add = ({ kind }: Child, batch: RawBatch): void => {
    for (const start of batch.starts) {
      const { id, text, revision } = keyedTextIn(readers[kind], scope, batch, { start, key: "host_id" });
      if (kind === "services") revisions += revision;
      const mine = texts[kind].get(id);
      if (mine === undefined) texts[kind].set(id, [text]);
      else mine.push(COMMA, text);
    }
  };
  const gather = async (child: Child): Promise<void> => {
    const { kind, order } = child;
    const projection = { _id: 0, host_id: 1, revision: 1, ...textFields(readers[kind], scope) };
    const find = { collection: kind, projection, filter: on(scope, hostIds), sort: order, hint: order };
    for await (const batch of batches(scope, find, moment)) {
      bytes += batch.bytes.length;
      if (bytes > GROUP_BYTES) return;
      add(child, batch);
    }
  };
  await Promise.all(CHILDREN.map(gather));
  return bytes > GROUP_BYTES ? null : { texts, bytes, revisions };
}

/** The services' revisions of a host too large to assemble. */
export async function revisionsOf(
  { batches, readers }: Reading,
  scope: Scope,
  id: string,
  moment: Moment,
): Promise<number> {
  const find = { collection: "services", filter: on(scope, [id]) };
  const hint = HOST_ORDER_INDEX;
  let sum = 0;
  for await (const batch of batches(scope, { ...find, hint, projection: REVISION }, moment))
    for (const found of documentsIn(batch) as EntityDocument[]) sum += readers.services.revisionIn(found, scope);
  return sum;
}

/** A host too large to assemble, being streamed. */
export async function* piecesOf(
  { batches, readers }: Reading,
  scope: Scope,
  { id, host, moment }: OneHost,
): AsyncGenerator<Buffer> {
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

export interface OneHost {
  readonly id: string;
  /** The host's own text. */
  readonly host: Buffer;
  readonly moment: Moment;
}

/** The comma-separated texts of children by host, and their total bytes. */
export interface Gathered {
  readonly texts: Readonly<Record<Child["kind"], Map<string, Buffer[]>>>;
  readonly bytes: number;
  /** The sum of the services' revisions. */
  readonly revisions: number;
}

export const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("]");
const END = Buffer.from("}");

const opening = (kind: string): Buffer => Buffer.from(`,"${kind}":[`);
const byHost = (): Map<string, Buffer[]> => new Map();
export const on = (scope: Scope, hostIds: readonly string[]): Scoped & Document => ({
  ...within(scope),
  host_id: { $in: hostIds },
});

export function wholeText(id: string, host: Buffer, { texts }: Gathered): Buffer[] {
  const children = CHILDREN.flatMap(({ kind }) => [opening(kind), ...(texts[kind].get(id) ?? []), CLOSE]);
  return [host.subarray(0, -1), ...children, END];
}
