import type { Db } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { OPERATION_MS } from "@nts/shared/mongo/connect";
import { fieldsIn, rawBatches } from "@nts/shared/mongo/raw-find";
import { BY_ID } from "./indexes.js";
import type { Database } from "./database.js";
import { sightingFieldsIn } from "./rows.js";
import { SIGHTING, type SightingFields } from "./sightings.rules.js";

// A query costs some 200 µs whatever it finds, so single entities that are asked for in one turn of the event loop are
// read by one query, for callers of any organization together. What a caller may see of the result is decided here, for
// each by its own scope: the query is no wider than those who ask, and narrower is only this file's doing.
// What an organization asks for at the same time takes one turn of its share, which lasts until the query is answered. So a
// query that reads for several organizations counts in the share of each of them, and none has more queries than turns.

/** Entities that one query reads, and that take one turn. */
const MOST = 64;
/** Queries under way at a time; what is asked meanwhile gathers, and other work finds connections free. */
const AT_A_TIME = 4;

/** An entity as it is stored, its text in UTF-8. */
export interface Found extends SightingFields {
  readonly wire: Buffer;
  readonly revision: number;
  readonly form?: number | undefined;
}

interface Waiting {
  readonly scope: Scope;
  readonly id: string;
  readonly resolve: (found: Found | null) => void;
  readonly reject: (error: unknown) => void;
}

/** What one organization asks for in one turn of its share. */
interface Group {
  readonly organizationId: string;
  readonly asked: Waiting[];
  /** Gives the turn back. */
  done: () => void;
}

/** Reads one entity; null when there is none with this id in the scope. A failed query fails only its own callers. */
export type GatheredRead = (scope: Scope, id: string) => Promise<Found | null>;

/** @param ofNetworks false for entities that are seen from all networks of their organization */
export function createGatheredRead({ db, share }: Database, collection: string, ofNetworks: boolean): GatheredRead {
  /** By organization: what may still be added to. */
  const open = new Map<string, Group>();
  /** Those that have their turn. */
  const ready: Group[] = [];
  let underWay = 0;
  let isScheduled = false;

  function groupOf(scope: Scope): Group {
    const { organizationId } = scope;
    const last = open.get(organizationId);
    if (last !== undefined && last.asked.length < MOST) return last;
    const group: Group = { organizationId, asked: [], done: () => undefined };
    open.set(organizationId, group);
    const turn = (): Promise<void> =>
      new Promise((done) => {
        group.done = done;
        ready.push(group);
        schedule();
      });
    share(scope, turn).catch((error: unknown) => {
      close(group);
      for (const { reject } of group.asked) reject(error);
    });
    return group;
  }

  /** What is asked from now on is another group's. */
  function close(group: Group): void {
    if (open.get(group.organizationId) === group) open.delete(group.organizationId);
  }

  function schedule(): void {
    if (isScheduled || ready.length === 0 || underWay === AT_A_TIME) return;
    isScheduled = true;
    // After everything that has arrived in this turn of the event loop has been taken in.
    setImmediate(() => {
      isScheduled = false;
      while (ready.length > 0 && underWay < AT_A_TIME) void answerAll(takeGroups());
    });
  }

  /** Groups for one query; what is asked from now on is another group's. */
  function takeGroups(): Group[] {
    const taken = firstGroups(ready);
    for (const group of taken) close(group);
    return taken;
  }

  async function answerAll(groups: readonly Group[]): Promise<void> {
    const asked = groups.flatMap((group) => group.asked);
    underWay += 1;
    try {
      const found = await read(db, collection, asked);
      for (const one of asked) one.resolve(seenBy(one.scope, found.get(one.id), ofNetworks));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    } finally {
      underWay -= 1;
      for (const { done } of groups) done();
      schedule();
    }
  }

  return (scope, id) =>
    new Promise((resolve, reject) => {
      groupOf(scope).asked.push({ scope, id, resolve, reject });
    });
}

/** Takes as many groups off the line as one query may read, in the order of their turns. */
function firstGroups(ready: Group[]): Group[] {
  const taken: Group[] = [];
  for (let size = 0; ready[0] !== undefined && size + ready[0].asked.length <= MOST;) {
    const group = ready.shift() as Group;
    size += group.asked.length;
    taken.push(group);
  }
  return taken;
}

/** What is asked for, by id, for whomever. */
async function read(db: Db, collection: string, asked: readonly Waiting[]): Promise<Map<string, Row>> {
  const organizations = new Set(asked.map(({ scope }) => scope.organizationId));
  const ids = new Set(asked.map(({ id }) => id));
  const find = {
    collection,
    filter: { _id: { $in: [...ids] }, organization_id: { $in: [...organizations] } },
    projection: FIELDS,
    hint: BY_ID,
    limit: ids.size,
    maxTimeMS: OPERATION_MS,
  };
  const rows = new Map<string, Row>();
  for await (const batch of rawBatches(db, find))
    for (const start of batch.starts) {
      const row = rowOf(fieldsIn(batch, start));
      rows.set(row.id, row);
    }
  return rows;
}

/** What is left of it for one who asked. @param ofNetworks as in {@link createGatheredRead} */
function seenBy({ organizationId, networks, hidden }: Scope, row: Row | undefined, ofNetworks: boolean): Found | null {
  if (row?.organizationId !== organizationId) return null;
  const isSeen = !ofNetworks || networks === "all" || (row.networkId !== null && networks.includes(row.networkId));
  const isGone = hidden !== undefined && row.hostId !== null && hidden.hosts.has(row.hostId);
  return isSeen && !isGone ? row : null;
}

interface Row extends Found {
  readonly id: string;
  readonly organizationId: string;
  readonly networkId: string | null;
  /** Of what stands on a host. */
  readonly hostId: string | null;
}

const FIELDS = {
  _id: 1,
  organization_id: 1,
  network_id: 1,
  host_id: 1,
  wire: 1,
  revision: 1,
  form: 1,
  ...SIGHTING,
} as const;

function rowOf(fields: ReadonlyMap<string, Buffer | number>): Row {
  const text = (name: string): string => String(fields.get(name));
  return {
    id: text("_id"),
    organizationId: text("organization_id"),
    networkId: fields.has("network_id") ? text("network_id") : null,
    hostId: fields.has("host_id") ? text("host_id") : null,
    wire: fields.get("wire") as Buffer,
    revision: Number(fields.get("revision")),
    form: fields.get("form") as number | undefined,
    ...sightingFieldsIn(fields),
  };
}
