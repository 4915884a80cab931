import type { Service } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import { createBatcher } from "@nts/shared/scheduling/batcher";
import { requireNotAbandoned, type Work } from "@nts/shared/work";
import type { Stored } from "../storage/entities.js";
import { MOST_SMALL } from "../storage/large-writes.js";
import type { Storage } from "../storage/storage.js";
import type { LockedHost } from "../storage/stores/host-locks.js";
import type { Change } from "./changes.rules.js";
import { store } from "./store.js";

// Updates of bindings that arrive while others of their organization are written share a transaction: sixteen together
// cost the database little more than two. Each is decided for itself; whatever prevents one from being written with the
// others lets it be written alone.

/** Maximum updates per transaction. */
const MOST = 16;
const LANE = { atATime: 2, longMs: 250 };
/** Conflicts after which all are written alone. */
const MOST_CONFLICTS = 2;

/** An update of a service that stays on its host and at its position, and gets no tag that could be deleted. */
export interface JointUpdate {
  readonly work: Work;
  readonly scope: Scope;
  /** As read, in the scope. */
  readonly current: Stored<Service>;
  /** Number of its current and requested bindings. */
  readonly bindings: number;
  /** The state on its host as locked; null if nothing changes. @throws AppError */
  readonly next: (host: LockedHost) => Stored<Service> | null;
  /** Writes it in a transaction of its own. */
  readonly alone: () => Promise<Stored<Service>>;
}

/** Writes an update alone, or together with others. @returns the resulting state */
export type JointUpdates = (update: JointUpdate) => Promise<Stored<Service>>;

type Written = ReadonlyMap<JointUpdate, Stored<Service>>;

const NOTHING: Written = new Map();

export function createJointUpdates(storage: Storage): JointUpdates {
  const together = createBatcher<JointUpdate, Stored<Service>>({
    ...LANE,
    fits,
    run: async (updates) => {
      const written = updates.length === 1 ? NOTHING : await writeTogether(storage, updates);
      return Promise.allSettled(updates.map(async (update) => written.get(update) ?? update.alone()));
    },
  });
  return (update) => together(update.scope.organizationId, update);
}

function fits(updates: readonly JointUpdate[], next: JointUpdate): boolean {
  const [first] = updates;
  const isSmall = documentsOf([...updates, next]) <= MOST_SMALL;
  return isSmall && updates.length < MOST && first !== undefined && isSame(first.scope.networks, next.scope.networks);
}

/** About how many documents are written. */
function documentsOf(updates: readonly JointUpdate[]): number {
  return updates.reduce((sum, { bindings }) => sum + 2 + bindings, 0);
}

function isSame(a: Scope["networks"], b: Scope["networks"]): boolean {
  if (a === "all" || b === "all") return a === b;
  return a === b || (a.length === b.length && a.every((id, n) => id === b[n]));
}

/**
 * Writes what can be written together.
 *
 * @returns the written ones
 * @throws whatever the commit fails with, because then it may have succeeded
 */
async function writeTogether(storage: Storage, updates: readonly JointUpdate[]): Promise<Written> {
  const [first] = updates;
  if (first === undefined) return NOTHING;
  const { work, scope } = first;
  const hostIds = [...new Set(updates.map(({ current }) => current.entity.host_id))];
  const attempt = { isDecided: false };
  try {
    return await storage.transaction(work, hostIds, async (tx, conflicts = 0) => {
      attempt.isDecided = false;
      if (conflicts > MOST_CONFLICTS) throw new Discard(NOTHING);
      const hosts = await storage.hosts.lockAll(tx, scope, new Map(hostIds.map((id) => [id, {}])));
      const changes = updates.flatMap((update) => changeOf(update, hosts.get(update.current.entity.host_id)));
      if (changes.length === 0) throw new Discard(NOTHING);
      const authors = new Map(changes.map(({ update, after }) => [after.entity.id, update.work.author]));
      const storing = { changes: { services: { changed: changes } }, hosts, areRead: true, authors };
      if (!(await store(storage, tx, scope, storing))) throw new Discard(NOTHING);
      attempt.isDecided = true;
      return new Map(changes.map(({ update, after }) => [update, after]));
    });
  } catch (error) {
    if (attempt.isDecided) throw error;
    return NOTHING;
  }
}

interface JointChange extends Change<Service> {
  readonly update: JointUpdate;
}

/** Nothing for an update that is to be written alone, and may fail there. */
function changeOf(update: JointUpdate, host: LockedHost | undefined): JointChange[] {
  const { work, current: before, next } = update;
  if (host === undefined) return [];
  try {
    requireNotAbandoned(work);
    const after = next(host);
    return after === null ? [] : [{ update, before, after }];
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}
