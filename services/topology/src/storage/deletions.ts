import { setTimeout as delay } from "node:timers/promises";
import type { ClientSession, Collection } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "./database.js";

// A network with 100,000 services is deleted in two steps: one small write hides it, and a sweep deletes its documents
// afterwards. A process knows what is hidden for at most LEASE_MS without asking again, and a deletion is answered only
// when every older knowledge has ended. So reading costs no round trip, and nothing hidden is read after the answer.

/** Milliseconds for which a process relies on what it has read, counted from the moment it asked. */
const LEASE_MS = 200;
/** Milliseconds after the write until all processes know of it; the rest is for clocks that do not run alike. */
const KNOWN_EVERYWHERE_MS = 250;

/** What is hidden, or swept a short while ago. */
export interface DeletionDocument {
  /** Id of the network. */
  _id: string;
  kind: "network";
  organization_id: string;
  /** By the clock of the database. */
  deleted_at: Date;
  /** When nothing of it was left. */
  swept_at?: Date;
  /** True when whoever has to hear of the deletion was told. */
  announced?: boolean;
}

export interface Deletions {
  readonly collection: Collection<DeletionDocument>;
  /** The scope without what is hidden; a promise only when it has to be asked for. */
  visible(scope: Scope): Scope | Promise<Scope>;
  /** Hides networks when the transaction commits. @throws AppError `not_found` when one of them is hidden already */
  hide(session: ClientSession, organizationId: string, networkIds: readonly string[]): Promise<void>;
  /** Waits, after the commit, until no process can answer anything hidden. */
  known(): Promise<void>;
}

type Hidden = ReadonlyMap<string, ReadonlySet<string>>;

interface Knowledge {
  readonly hidden: Hidden;
  /** When it was asked for, by a clock that stops while a machine is suspended and one that may be corrected. */
  readonly asked: readonly [monotonicMs: number, wallMs: number];
}

export function createDeletions({ db, share }: Database): Deletions {
  const collection = db.collection<DeletionDocument>("deletions");
  const networks = db.collection<{ _id: string; organization_id: string }>("networks");
  let known: Knowledge = { hidden: new Map(), asked: [-Infinity, -Infinity] };
  let asking: Promise<Knowledge> | null = null;

  async function ask(): Promise<Knowledge> {
    const asked = [performance.now(), Date.now()] as const;
    const found = await collection.find({}, { projection: { organization_id: 1 } }).toArray();
    const hidden = new Map<string, Set<string>>();
    for (const { _id, organization_id } of found)
      hidden.set(organization_id, (hidden.get(organization_id) ?? new Set()).add(_id));
    if (asked[0] > known.asked[0]) known = { hidden, asked };
    return known;
  }

  function askOnce(): Promise<Knowledge> {
    asking ??= ask().finally(() => (asking = null));
    return asking;
  }

  const ageMs = ({ asked: [monotonicMs, wallMs] }: Knowledge): number =>
    Math.max(performance.now() - monotonicMs, Math.abs(Date.now() - wallMs));

  async function current(): Promise<Hidden> {
    const begunMs = performance.now();
    for (;;) {
      const answered = await askOnce();
      // What was asked for since the call began is new enough, however long the answer took.
      if (answered.asked[0] >= begunMs || ageMs(answered) < LEASE_MS) return answered.hidden;
    }
  }

  async function without(scope: Scope, hidden: Hidden): Promise<Scope> {
    const { organizationId } = scope;
    const gone = hidden.get(organizationId);
    if (gone === undefined) return scope;
    const ids = scope.networks === "all" ? await living(organizationId) : scope.networks;
    return { organizationId, networks: ids.filter((id) => !gone.has(id)) };
  }

  async function living(organizationId: string): Promise<string[]> {
    const found = await share({ organizationId }, () =>
      networks.find({ organization_id: organizationId }, { projection: { _id: 1 } }).toArray(),
    );
    return found.map(({ _id }) => _id);
  }

  return {
    collection,
    visible: (scope) => {
      const age = ageMs(known);
      if (age >= LEASE_MS) return current().then((hidden) => without(scope, hidden));
      // Asked for again in good time, so that a busy process never waits for it.
      if (age > LEASE_MS / 2) askOnce().catch(() => undefined);
      return known.hidden.has(scope.organizationId) ? without(scope, known.hidden) : scope;
    },
    hide: async (session, organization_id, networkIds) => {
      const hiding = networkIds.map((_id) => ({
        updateOne: {
          filter: { _id },
          update: {
            $setOnInsert: { kind: "network" as const, organization_id },
            $currentDate: { deleted_at: true as const },
          },
          upsert: true,
        },
      }));
      const { upsertedCount } = await collection.bulkWrite(hiding, { session });
      if (upsertedCount !== networkIds.length) throw new AppError("not_found", { entity: "Network" });
    },
    known: async () => {
      await Promise.all([askOnce().then(askOnce), delay(KNOWN_EVERYWHERE_MS)]);
    },
  };
}
