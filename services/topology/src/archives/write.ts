import {
  type KindName,
  KINDS,
  KINDS_BETWEEN,
  KINDS_ON_HOSTS,
  type PluralOf,
  pluralOf,
} from "@nts/shared/contract/kinds";
import { createHash } from "node:crypto";
import type { Document } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import { DEADLINES } from "@nts/shared/timing";
import { TOP_LEVEL, type TopLevelKind } from "../kinds/index.js";
import type { Entities, Entity, StoredFields } from "../storage/entities.js";
import { creationIndex, type IndexKey, ON_HOST_INDEXES } from "../storage/indexes.js";
import { matching } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import { storedScope } from "../storage/stored-scope.js";
import { endLine, entityLine, type Heading, headingLine, NO_COUNTS } from "./lines.rules.js";

// Reads a snapshot, which the database retains for five minutes. Hosts are read in batches ordered by id, merged with parallel
// reads of their children in the same order, so that at most one batch of each kind is in memory.

const MOST_HOSTS = 200;
/** Characters per chunk of the response. */
const PIECE = 65_536;
const BY_AGE = { created_at: 1, _id: 1 } as const;
const BY_NETWORK = { network_id: 1, ...BY_AGE } as const;

type Reads = Pick<Storage, "database" | PluralOf<KindName>>;

/** A serialized entity with its id and host id. */
interface Read {
  readonly id: string;
  readonly hostId: string;
  readonly json: string;
}

interface Reading {
  readonly storage: Reads;
  readonly scope: Scope;
  readonly moment: Moment;
}

interface Sought {
  readonly filter?: Document;
  readonly sort: Document;
  readonly hint: IndexKey;
  readonly mostRows?: number;
}

/** Yields the archive of everything visible with the given rights, in chunks of whole lines. */
export async function* archiveLines(
  storage: Reads,
  rights: Scope,
  heading: Omit<Heading, "networks">,
): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const counts = { ...NO_COUNTS };
  const reported = (text: string): string => {
    hash.update(text);
    return text;
  };
  yield reported(headingLine({ ...heading, networks: rights.networks === "all" ? "all" : "some" }));
  const moment: Moment = {};
  const scope = await storedScope(storage.database, rights, moment);
  let text = "";
  for await (const lines of entitiesOf({ storage, scope, moment })) {
    for (const { kind } of lines) counts[kind] += 1;
    text += lines.map(({ kind, json }) => entityLine(kind, json)).join("");
    if (text.length < PIECE) continue;
    yield reported(text);
    text = "";
  }
  yield reported(text);
  yield endLine(counts, hash.digest("hex"));
}

interface Line {
  readonly kind: KindName;
  readonly json: string;
}

async function* entitiesOf(reading: Reading): AsyncGenerator<readonly Line[]> {
  const { storage } = reading;
  for (const kind of TOP_LEVEL) yield* entitiesAlone(reading, kind);
  const ofHosts = { sort: BY_NETWORK, hint: creationIndex(true), mostRows: MOST_HOSTS };
  for await (const read of all(reading, storage.hosts, ofHosts)) yield* withChildren(reading, read);
  for (const kind of KINDS_BETWEEN) yield* entitiesAlone(reading, kind);
}

async function* entitiesAlone(reading: Reading, kind: TopLevelKind): AsyncGenerator<readonly Line[]> {
  const { parent, plural } = KINDS[kind];
  const isInNetwork = parent !== null;
  const sought = { sort: isInNetwork ? BY_NETWORK : BY_AGE, hint: creationIndex(isInNetwork) };
  const entities = reading.storage[plural] as unknown as Entities<Entity>;
  for await (const read of all(reading, entities, sought)) yield linesOf(kind, read);
}

function linesOf(kind: KindName, read: readonly Read[]): Line[] {
  return read.map(({ json }) => ({ kind, json }));
}

/** Yields hosts, each followed by its children. */
async function* withChildren(reading: Reading, hosts: readonly Read[]): AsyncGenerator<readonly Line[]> {
  const inOrder = [...hosts].sort((a, b) => (a.id < b.id ? -1 : 1));
  const on = { host_id: { $in: inOrder.map(({ id }) => id) } };
  const children = KINDS_ON_HOSTS.map((kind) => {
    const plural = pluralOf(kind);
    const entities = reading.storage[plural] as unknown as Entities<Entity>;
    const order = ON_HOST_INDEXES[plural];
    return { kind, those: byHost(all(reading, entities, { filter: on, sort: order, hint: order })) };
  });
  try {
    for (const host of inOrder) {
      yield linesOf("Host", [host]);
      for (const { kind, those } of children) yield* childrenOf(kind, those.of(host.id));
    }
  } finally {
    for (const { those } of children) await those.end();
  }
}

async function* childrenOf(kind: KindName, some: AsyncIterable<readonly Read[]>): AsyncGenerator<readonly Line[]> {
  for await (const read of some) yield linesOf(kind, read);
}

/** Splits batches that are ordered by host into the entities of each host. */
function byHost(batches: AsyncGenerator<readonly Read[]>) {
  let left: readonly Read[] = [];
  return {
    of: async function* (hostId: string): AsyncGenerator<readonly Read[]> {
      for (;;) {
        if (left.length === 0) {
          const next = await batches.next();
          if (next.done === true) return;
          left = next.value;
        }
        const end = left.findIndex((one) => one.hostId !== hostId);
        const mine = end === -1 ? left : left.slice(0, end);
        left = end === -1 ? [] : left.slice(end);
        if (mine.length > 0) yield mine;
        if (end !== -1) return;
      }
    },
    end: () => batches.return(undefined),
  };
}

/** Reads all entities of a kind in the scope, in batches. */
async function* all<T extends Entity>(
  { scope, moment }: Reading,
  { read, within, wireOf }: Entities<T>,
  { filter = {}, ...sought }: Sought,
): AsyncGenerator<readonly Read[]> {
  const projection = { _id: 1, host_id: 1, wire: 1, form: 1 };
  const query = { ...sought, filter: matching(within(scope), filter), projection, maxTimeMS: DEADLINES.streamMs };
  for await (const batch of read(scope, query, moment))
    yield documentsIn(batch).map(({ _id, host_id, ...stored }) => ({
      id: String(_id),
      hostId: String(host_id),
      json: wireOf(stored as Omit<StoredFields, "revision">, scope),
    }));
}
