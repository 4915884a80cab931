import type { ClientSession, Filter } from "mongodb";
import type { HostRecord } from "@nts/shared/contract";
import type { Mark } from "@nts/shared/contract/marks.rules";
import type { Scope } from "@nts/shared/http/tenancy";
import { marksObserved } from "../../values/marks.rules.js";
import type { Entities, EntityDocument } from "../entities.js";
import { STORED } from "../entity-reader.js";
import { BY_ID, type IndexKey, MARKS_INDEX } from "../indexes.js";
import type { Inventory } from "./host-locks.js";

// Lookup of hosts by serial numbers and the like.

/** Maximum hosts per mark; beyond it, the mark identifies none. */
const MOST_OF_MARK = 20;

/** A host with what tells it from others besides its cards. */
export interface MarkedHost {
  readonly id: string;
  readonly name: string;
  readonly hostname: string | null;
  readonly hasInterfaces: boolean;
  readonly marks: readonly Mark[];
  /** The format of the file that said its serial number; null if it has none. */
  readonly serialBy: string | null;
}

export interface HostMarks {
  /** Hosts with marks with these keys, except very common ones. @param scope of listed networks */
  findByMarks(scope: Scope, keys: readonly string[], tx?: ClientSession): Promise<MarkedHost[]>;
  /** Of hosts with these ids, those with marks. */
  findMarked(scope: Scope, ids: readonly string[]): Promise<MarkedHost[]>;
}

export function createHostMarks({ select, selectIn, storedIn }: Entities<HostRecord>): HostMarks {
  async function found(
    scope: Scope,
    filter: Filter<EntityDocument>,
    { hint, limit, tx }: { hint: IndexKey; limit: number; tx: ClientSession | undefined },
  ): Promise<MarkedHost[]> {
    const options = { projection: { ...STORED, inventory: 1 }, hint, limit };
    const documents =
      tx === undefined ? await select(scope, filter, options) : await selectIn(tx, scope, filter, options);
    return documents.map((document) =>
      markedAs(storedIn(document, scope).entity, (document["inventory"] as Inventory).interfaces.length > 0),
    );
  }

  /** @returns null if there are more than that */
  async function byMarks(
    scope: Scope,
    keys: readonly string[],
    tx: ClientSession | undefined,
  ): Promise<MarkedHost[] | null> {
    const most = MOST_OF_MARK * keys.length;
    const hosts = await found(scope, { marks: { $in: [...keys] } }, { hint: MARKS_INDEX, limit: most + 1, tx });
    return hosts.length > most ? null : hosts;
  }

  return {
    findByMarks: async (scope, keys, tx) => {
      if (keys.length === 0) return [];
      const together = await byMarks(scope, keys, tx);
      if (together !== null) return together;
      const all: MarkedHost[] = [];
      for (const key of keys) all.push(...((await byMarks(scope, [key], tx)) ?? []));
      return all;
    },
    findMarked: async (scope, ids) => {
      if (ids.length === 0) return [];
      const filter = { _id: { $in: [...ids] }, marks: { $gt: "" } };
      return found(scope, filter, { hint: BY_ID, limit: ids.length, tx: undefined });
    },
  };
}

/** A host as imports compare it with sightings. */
export function markedAs({ id, name, hostname, observed }: HostRecord, hasInterfaces: boolean): MarkedHost {
  return { id, name, hostname, hasInterfaces, marks: marksObserved(observed), serialBy: observed?.serial?.by ?? null };
}
