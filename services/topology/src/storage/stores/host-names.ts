import type { ClientSession, Document } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "../database.js";
import type { Entities } from "../entities.js";
import { BY_ID, type IndexKey, LABEL_INDEX, LOST_MACS_INDEX } from "../indexes.js";
import { matching } from "../scope.js";
import type { HostRecord } from "@nts/shared/contract";

// Lookup of hosts without a matching address: by hostname and by lost MAC addresses. The latter are fields next to the
// entity's text, like sightings, and change no revision.

/** Maximum hosts per first label; beyond it, the label identifies none. */
const MOST_OF_LABEL = 20;
/** Maximum lost MAC addresses per host. */
const MOST_LOST = 96;

/** A host found without its addresses. */
export interface NamedHost {
  readonly id: string;
  readonly hostname: string | null;
  readonly hasInterfaces: boolean;
  /** MAC addresses without an address: it had them until that was seen at another machine, or they are of its ports. */
  readonly lostMacs: readonly string[];
}

export interface HostNames {
  /** Hosts with these first labels, except very common labels. @param scope of listed networks */
  findByLabels(scope: Scope, labels: readonly string[], tx?: ClientSession): Promise<NamedHost[]>;
  /** Hosts that have lost one of these MAC addresses. */
  findByLostMacs(scope: Scope, macs: readonly string[]): Promise<NamedHost[]>;
  /** The MAC addresses that a host has lost. */
  lostMacsOf(tx: ClientSession, scope: Scope, hostId: string): Promise<readonly string[]>;
  /** Records identities lost together with an address. */
  macLost(tx: ClientSession, scope: Scope, hostId: string, mac: string): Promise<void>;
  /** Records MAC addresses of its chassis and ports, which have no addresses. */
  cardsSeen(tx: ClientSession, scope: Scope, hostId: string, macs: readonly string[]): Promise<void>;
  /** Removes MAC addresses that are back on interfaces of their host. */
  macsFound(tx: ClientSession, scope: Scope, hostId: string, macs: readonly string[]): Promise<void>;
}

const NAMED = {
  id: "$_id",
  hostname: "$hostname",
  hasInterfaces: { $gt: [{ $size: { $ifNull: ["$inventory.interfaces", []] } }, 0] },
  lostMacs: { $ifNull: ["$lost_macs", []] },
} as const;

export function createHostNames(
  { share }: Database,
  { collection, within }: Pick<Entities<HostRecord>, "collection" | "within">,
): HostNames {
  async function found<Found extends Document>(
    scope: Scope,
    filter: object,
    hint: IndexKey,
    { stages, tx }: { stages: readonly Document[]; tx?: ClientSession },
  ): Promise<Found[]> {
    const options = { hint, ...(tx !== undefined && { session: tx }) };
    return collection.aggregate<Found>([{ $match: matching(within(scope), filter) }, ...stages], options).toArray();
  }

  /** @returns null if a label has so many hosts that others were not examined */
  async function byLabels(scope: Scope, labels: readonly string[], tx?: ClientSession): Promise<NamedHost[] | null> {
    const many = MOST_OF_LABEL + 1;
    const most = MOST_OF_LABEL * labels.length + 1;
    const stages = [
      { $limit: most },
      { $group: { _id: "$host_label", count: { $sum: 1 }, hosts: { $firstN: { n: many, input: NAMED } } } },
    ];
    const read = (): Promise<{ count: number; hosts: NamedHost[] }[]> =>
      found(scope, { host_label: { $in: labels } }, LABEL_INDEX, tx === undefined ? { stages } : { stages, tx });
    const groups = await (tx === undefined ? share(scope, read) : read());
    if (labels.length > 1 && groups.reduce((sum, { count }) => sum + count, 0) === most) return null;
    return groups.filter(({ count }) => count < many).flatMap(({ hosts }) => hosts);
  }

  return {
    findByLabels: async (scope, labels, tx) => {
      if (labels.length === 0) return [];
      const together = await byLabels(scope, labels, tx);
      if (together !== null) return together;
      const all: NamedHost[] = [];
      for (const label of labels) all.push(...((await byLabels(scope, [label], tx)) ?? []));
      return all;
    },
    findByLostMacs: async (scope, macs) => {
      if (macs.length === 0) return [];
      const stages = [{ $project: { _id: 0, ...NAMED } }];
      return share(scope, () => found(scope, { lost_macs: { $in: macs } }, LOST_MACS_INDEX, { stages }));
    },
    lostMacsOf: async (tx, scope, hostId) => {
      const options = { session: tx, projection: { lost_macs: 1 }, hint: BY_ID };
      const found = await collection.findOne({ ...within(scope), _id: hostId }, options);
      return (found?.["lost_macs"] ?? []) as readonly string[];
    },
    macLost: async (tx, scope, hostId, mac) => {
      const filter = { ...within(scope), _id: hostId, lost_macs: { $ne: mac } };
      const update = { $push: { lost_macs: { $each: [mac], $slice: -MOST_LOST } } };
      await collection.updateOne(filter, update as object, { session: tx, hint: BY_ID });
    },
    cardsSeen: async (tx, scope, hostId, macs) => {
      const some = macs.slice(0, MOST_LOST);
      // Most are known: then nothing is written.
      const filter = { ...within(scope), _id: hostId, lost_macs: { $not: { $all: some } } };
      const update = [
        { $set: { lost_macs: { $slice: [{ $setUnion: [{ $ifNull: ["$lost_macs", []] }, some] }, -MOST_LOST] } } },
      ];
      if (some.length > 0) await collection.updateOne(filter, update, { session: tx, hint: BY_ID });
    },
    macsFound: async (tx, scope, hostId, macs) => {
      if (macs.length === 0) return;
      const update = { $pull: { lost_macs: { $in: [...macs] } } };
      await collection.updateOne({ ...within(scope), _id: hostId }, update as object, { session: tx, hint: BY_ID });
    },
  };
}
