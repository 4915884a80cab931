import type { ClientSession, UpdateOptions } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import { MustYield } from "@nts/shared/mongo/transaction";
import type { Work } from "@nts/shared/work";
import type { EntityDocument } from "../entities.js";
import type { ScopedCollection } from "../scoped-collection.js";
import { within } from "../scope.js";

// A transaction over many hosts keeps losing against writers of single ones. So it first reserves the hosts outside the
// transaction; a writer that locks one of them lets it go first.

/** Milliseconds of a reservation: how long others wait for a dead process. */
const RESERVED_MS = 3_000;

/** Maximum milliseconds to make reservations. */
const RESERVE_MS = 1_000;

interface Reservation {
  readonly holder: string;
  /** In database time. */
  readonly until: Date;
}

/** A host as read, with its reservation. */
export interface MaybeReserved {
  readonly _id: string;
  readonly reserved?: Reservation;
}

/** Runs the body of a transaction with the hosts reserved, unless others have reserved some. */
export type Reserving = <T>(tx: ClientSession, body: () => Promise<T>) => Promise<T>;

export interface ReservedHosts {
  /** Runs a transaction that may reserve hosts, and releases them in any case. */
  during<T>(of: ReservedFor, run: (reserving: Reserving) => Promise<T>): Promise<T>;
  /** @throws MustYield if one of the hosts is reserved by another transaction */
  requireFree(tx: ClientSession, scope: Scope, found: readonly MaybeReserved[]): Promise<void>;
}

export interface ReservedFor {
  readonly work: Work;
  readonly scope: Scope;
  readonly hostIds: readonly string[];
}

export function createReservedHosts(hosts: ScopedCollection<EntityDocument>): ReservedHosts {
  /** Names of transactions with reservations, for all attempts. */
  const holders = new WeakMap<ClientSession, string>();
  return {
    during: async ({ work, scope, hostIds }, run) => {
      const reservation = createReservation(hosts, scope, { ids: [...new Set(hostIds)], holder: newId() });
      work.unit?.afterUndone(reservation.end);
      try {
        const result = await run(async (tx, body) => {
          if (!(await reservation.begin())) return body();
          holders.set(tx, reservation.holder);
          const done = await body();
          await reservation.endWith(tx);
          return done;
        });
        if (!reservation.endsWithCommit()) await reservation.end();
        return result;
      } catch (error) {
        await reservation.end();
        throw error;
      }
    },
    requireFree: async (tx, scope, found) => {
      const mine = holders.get(tx);
      const ids = found.flatMap(({ _id, reserved }) =>
        reserved === undefined || reserved.holder === mine ? [] : [_id],
      );
      if (ids.length === 0) return;
      const inForce = { ...within(scope), _id: { $in: ids }, $expr: { $gt: ["$reserved.until", "$$NOW"] } };
      if ((await hosts.countDocuments(inForce, { session: tx })) > 0) throw new MustYield();
    },
  };
}

interface HostReservation {
  readonly holder: string;
  /** @returns whether all of the hosts are reserved; otherwise none is, to avoid deadlocks */
  begin(): Promise<boolean>;
  /** Ends it when the transaction is committed. */
  endWith(tx: ClientSession): Promise<void>;
  /** Whether the last attempt was ready to commit. */
  endsWithCommit(): boolean;
  end(): Promise<void>;
}

function createReservation(
  hosts: ScopedCollection<EntityDocument>,
  scope: Scope,
  { ids, holder }: { readonly ids: readonly string[]; readonly holder: string },
): HostReservation {
  const those = { ...within(scope), _id: { $in: [...ids] } };
  let hasStarted = false;
  let endsWithCommit = false;

  async function release(options: UpdateOptions): Promise<void> {
    await hosts.updateMany({ ...those, "reserved.holder": holder }, { $unset: { reserved: "" } } as object, options);
  }

  /** A transaction may hold one of them for long; then their reservations expire. */
  async function inTime<T>(command: Promise<T>): Promise<T | null> {
    try {
      return await command;
    } catch (error) {
      if (mapMongoFault(error)?.code !== "upstream_timeout") throw error;
      return null;
    }
  }

  const end = async (): Promise<void> => {
    if (hasStarted) await inTime(release({ maxTimeMS: RESERVE_MS }));
    hasStarted = false;
  };
  return {
    holder,
    begin: async () => {
      [hasStarted, endsWithCommit] = [true, false];
      // A missing reservation counts as expired: a missing field is less than any date.
      const isFree = { $or: [{ $eq: ["$reserved.holder", holder] }, { $lt: ["$reserved.until", "$$NOW"] }] };
      const reserve = [{ $set: { reserved: { holder, until: { $add: ["$$NOW", RESERVED_MS] } } } }];
      const free = { ...those, $expr: isFree };
      const done = await inTime(hosts.updateMany(free, reserve, { maxTimeMS: RESERVE_MS }));
      if (done?.matchedCount === ids.length) return true;
      await end();
      return false;
    },
    endWith: async (tx) => {
      await release({ session: tx });
      endsWithCommit = true;
    },
    endsWithCommit: () => endsWithCommit,
    end,
  };
}
