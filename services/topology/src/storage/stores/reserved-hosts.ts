import type { ClientSession, UpdateOptions } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import { GoesFirst } from "@nts/shared/mongo/transaction";
import type { EntityDocument } from "../entities.js";
import type { ScopedCollection } from "../scoped-collection.js";
import { within } from "../scope.js";

// A transaction over many hosts loses against writers of single ones, however often it tries: one of them is always a little
// faster. So it reserves the hosts outside of the transaction first; whoever locks one of them meanwhile, lets it go first.

/** Milliseconds for which hosts are reserved: as long as others wait for a process that is no more. */
const RESERVED_MS = 3_000;

/** Milliseconds that reserving may take. */
const RESERVE_MS = 1_000;

interface Reservation {
  readonly holder: string;
  /** By the clock of the database. */
  readonly until: Date;
}

/** A host as it is read, with what tells whether it is reserved. */
export interface MaybeReserved {
  readonly _id: string;
  readonly reserved?: Reservation;
}

interface Reserving {
  readonly ids: readonly string[];
  /** Names the transaction, whichever attempt it is. */
  readonly holder: string;
}

export interface ReservedHosts {
  /** Reserves all of the hosts for the transaction, or none of them while another one has some. */
  reserve(tx: ClientSession, scope: Scope, reserving: Reserving): Promise<void>;
  /** Ends the reservation together with the transaction. */
  release(tx: ClientSession, scope: Scope, reserving: Reserving): Promise<void>;
  /** @throws GoesFirst when one of the hosts is reserved for another transaction */
  requireFree(tx: ClientSession, scope: Scope, found: readonly MaybeReserved[]): Promise<void>;
}

export function createReservedHosts(hosts: ScopedCollection<EntityDocument>): ReservedHosts {
  const holders = new WeakMap<ClientSession, string>();

  /** @returns whether all of them are reserved now */
  async function reserveAll(scope: Scope, { ids, holder }: Reserving): Promise<boolean> {
    // A host without a reservation compares as one whose time is up: a missing field is less than any date.
    const isFree = { $or: [{ $eq: ["$reserved.holder", holder] }, { $lt: ["$reserved.until", "$$NOW"] }] };
    const free = { ...within(scope), _id: { $in: [...ids] }, $expr: isFree };
    const reserved = { holder, until: { $add: ["$$NOW", RESERVED_MS] } };
    const { matchedCount } = await hosts.updateMany(free, [{ $set: { reserved } }], { maxTimeMS: RESERVE_MS });
    return matchedCount === new Set(ids).size;
  }

  async function release(scope: Scope, { ids, holder }: Reserving, options: UpdateOptions): Promise<void> {
    const mine = { ...within(scope), _id: { $in: [...ids] }, "reserved.holder": holder };
    await hosts.updateMany(mine, { $unset: { reserved: "" } } as object, options);
  }

  return {
    reserve: async (tx, scope, reserving) => {
      try {
        if (await reserveAll(scope, reserving)) holders.set(tx, reserving.holder);
        // Two transactions with some each would wait for each other.
        else await release(scope, reserving, { maxTimeMS: RESERVE_MS });
      } catch (error) {
        // Somebody holds one of them for long. The others are reserved until their time is up.
        if (mapMongoFault(error)?.code !== "upstream_timeout") throw error;
      }
    },
    release: async (tx, scope, reserving) => {
      if (holders.has(tx)) await release(scope, reserving, { session: tx });
    },
    requireFree: async (tx, scope, found) => {
      const mine = holders.get(tx);
      const ids = found.flatMap(({ _id, reserved }) =>
        reserved === undefined || reserved.holder === mine ? [] : [_id],
      );
      if (ids.length === 0) return;
      const held = { ...within(scope), _id: { $in: ids }, $expr: { $gt: ["$reserved.until", "$$NOW"] } };
      if ((await hosts.countDocuments(held, { session: tx })) > 0) throw new GoesFirst();
    },
  };
}
