import type { Db } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { fieldsIn } from "@nts/shared/mongo/raw-fields";
import { rawBatches } from "@nts/shared/mongo/raw-find";
import { DEADLINES } from "@nts/shared/timing";
import { hostsOf, type Placed } from "../values/ends.rules.js";
import { BY_ID } from "./indexes.js";
import type { Database } from "./database.js";
import { sightingFieldsIn } from "./rows.js";
import { SIGHTING, type SightingFields } from "./sightings.rules.js";

// A query costs about 200 µs whatever it finds, so single reads of one tick share one across organizations, filtered by
// each caller's scope here. They take one turn of the share of each organization until the query ends.

/** Maximum entities per query and turn. */
const MOST = 64;
/** Concurrent queries; further reads accumulate, and connections stay free for other work. */
const AT_A_TIME = 4;

/** A stored entity, with its text in UTF-8. */
export interface FoundEntity extends SightingFields {
  readonly wire: Buffer;
  readonly revision: number;
  readonly form?: number | undefined;
}

interface Waiting {
  readonly scope: Scope;
  readonly id: string;
  readonly resolve: (found: FoundEntity | null) => void;
  readonly reject: (error: unknown) => void;
}

/** The reads of one organization in one turn of its share. */
interface Group {
  readonly organizationId: string;
  readonly waiting: Waiting[];
  /** Releases the turn. */
  done: () => void;
}

/** Reads one entity; null if it is not in the scope. A failed query only fails its own callers. */
export type GatheredRead = (scope: Scope, id: string) => Promise<FoundEntity | null>;

/** @param ofNetworks false for organization-level entities */
export function createGatheredRead({ db, share }: Database, collection: string, ofNetworks: boolean): GatheredRead {
  /** By organization: groups that are still open. */
  const open = new Map<string, Group>();
  /** Groups with a turn. */
  const ready: Group[] = [];
  let running = 0;
  let isScheduled = false;

  function groupOf(scope: Scope): Group {
    const { organizationId } = scope;
    const last = open.get(organizationId);
    if (last !== undefined && last.waiting.length < MOST) return last;
    const group: Group = { organizationId, waiting: [], done: () => undefined };
    open.set(organizationId, group);
    const turn = (): Promise<void> =>
      new Promise((done) => {
        group.done = done;
        ready.push(group);
        schedule();
      });
    share(scope, turn).catch((error: unknown) => {
      close(group);
      for (const { reject } of group.waiting) reject(error);
    });
    return group;
  }

  /** Later reads go to another group. */
  function close(group: Group): void {
    if (open.get(group.organizationId) === group) open.delete(group.organizationId);
  }

  function schedule(): void {
    if (isScheduled || ready.length === 0 || running === AT_A_TIME) return;
    isScheduled = true;
    // After everything that arrived in this tick has been handled.
    setImmediate(() => {
      isScheduled = false;
      while (ready.length > 0 && running < AT_A_TIME) void readAll(takeGroups());
    });
  }

  /** Groups for one query; later reads go to another. */
  function takeGroups(): Group[] {
    const taken = firstGroups(ready);
    for (const group of taken) close(group);
    return taken;
  }

  async function readAll(groups: readonly Group[]): Promise<void> {
    const waiting = groups.flatMap((group) => group.waiting);
    running += 1;
    try {
      const found = await read(db, collection, waiting);
      for (const one of waiting) one.resolve(seenBy(one.scope, found.get(one.id), ofNetworks));
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      running -= 1;
      for (const { done } of groups) done();
      schedule();
    }
  }

  return (scope, id) =>
    new Promise((resolve, reject) => {
      groupOf(scope).waiting.push({ scope, id, resolve, reject });
    });
}

/** Takes as many groups as fit one query, in order. */
function firstGroups(ready: Group[]): Group[] {
  const taken: Group[] = [];
  for (let size = 0; ready[0] !== undefined && size + ready[0].waiting.length <= MOST;) {
    const group = ready.shift() as Group;
    size += group.waiting.length;
    taken.push(group);
  }
  return taken;
}

/** The requested ids, with their callers. */
async function read(db: Db, collection: string, waiting: readonly Waiting[]): Promise<Map<string, Row>> {
  const organizations = new Set(waiting.map(({ scope }) => scope.organizationId));
  const ids = new Set(waiting.map(({ id }) => id));
  const find = {
    collection,
    filter: { _id: { $in: [...ids] }, organization_id: { $in: [...organizations] } },
    projection: FIELDS,
    hint: BY_ID,
    limit: ids.size,
    maxTimeMS: DEADLINES.operationMs,
  };
  const rows = new Map<string, Row>();
  for await (const batch of rawBatches(db, find))
    for (const start of batch.starts) {
      const row = rowOf(fieldsIn(batch, start));
      rows.set(row.id, row);
    }
  return rows;
}

/** What a caller may see of it; of all callers, what is in no network. @param ofNetworks as in {@link createGatheredRead} */
function seenBy(
  { organizationId, networks, hidden }: Scope,
  row: Row | undefined,
  ofNetworks: boolean,
): FoundEntity | null {
  if (row?.organizationId !== organizationId) return null;
  const isSeen = !ofNetworks || networks === "all" || row.networkId === null || networks.includes(row.networkId);
  const isGone = hidden !== undefined && hidden.hosts.size > 0 && hostIdsIn(row).some((id) => hidden.hosts.has(id));
  return isSeen && !isGone ? row : null;
}

/** A document that names several hosts has a list of them, which is not read. */
function hostIdsIn({ hostId, wire }: Row): readonly string[] {
  return hostId === null ? hostsOf(JSON.parse(String(wire)) as Placed) : [hostId];
}

interface Row extends FoundEntity {
  readonly id: string;
  readonly organizationId: string;
  readonly networkId: string | null;
  /** For children of hosts. */
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
