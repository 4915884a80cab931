import type { Document } from "mongodb";
import type { Category, Protocol } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { DEADLINES } from "@nts/shared/timing";
import type { Database } from "../database.js";
import type { EntityDocument } from "../entities.js";
import { COUNTED, type Counts, type GuardDocument } from "../guards.js";
import {
  CATEGORY_INDEX,
  creationIndex,
  GUARD_INDEX,
  HOST_PORTS_INDEX,
  type IndexKey,
  IP_INDEX,
  MAC_INDEX,
  ONE_ADDRESS_INDEX,
  orderIndex,
} from "../indexes.js";
import { scopedCollection } from "../scoped-collection.js";
import { within, withinHosts } from "../scope.js";

// Counts for statistics: from guard counters and indexes, and for all networks without reading documents.
// Virtualization is not indexed, so it is counted from response texts.

/** What hosts have in common. */
export interface SharedValue {
  readonly network_id: string;
  readonly value: string;
  /** How many of them there are, and some of their ids, the lowest first. */
  readonly count: number;
  readonly ids: readonly string[];
}

type Virtualized = "hosts" | "services";

export interface CountedStore {
  /** Counts of each network. */
  byNetwork(scope: Scope): Promise<ReadonlyMap<string, Counts>>;
  /** Most services first. */
  byCategory(scope: Scope): Promise<{ category: Category; services: number }[]>;
  /** The ports open on most hosts. */
  byPort(scope: Scope, most: number): Promise<{ number: number; protocol: Protocol; hosts: number }[]>;
  /** The subnets with the most interfaces, by id. */
  bySubnet(scope: Scope, most: number): Promise<ReadonlyMap<string, number>>;
  /** Values that interfaces of several hosts of a network have. @param named how many hosts of each are named */
  shared(
    scope: Scope,
    field: "mac_address" | "ip_key",
    { most, named }: { readonly most: number; readonly named: number },
  ): Promise<SharedValue[]>;
  /** Kinds of virtualization of hosts or services. Reads all of them. */
  byVirtualization(scope: Scope, kind: Virtualized, most: number): Promise<ReadonlyMap<string, number>>;
}

/** The type is the first member; quotation marks in text are escaped. */
const VIRTUALIZED = /"virtualization":\{"type":"((?:[^"\\]|\\.)*)"/;

interface Grouped {
  readonly _id: unknown;
  readonly found: number;
}

export function createCountedStore({ db, share }: Database): CountedStore {
  const options = { maxTimeMS: DEADLINES.operationMs };

  /** Counts values, most frequent first. */
  function grouped(
    scope: Scope,
    collection: string,
    { by, hint, before = [], most }: { by: unknown; hint: IndexKey; before?: Document[]; most?: number },
  ): Promise<Grouped[]> {
    const limit = most === undefined ? [] : [{ $limit: most }];
    const stages = [...before, { $group: { _id: by, found: { $sum: 1 } } }, { $sort: { found: -1, _id: 1 } }, ...limit];
    return share(scope, () =>
      scopedCollection<EntityDocument>(db, collection)
        .aggregate<Grouped>([{ $match: within(scope) }, ...stages], { ...options, hint })
        .toArray(),
    );
  }

  const isWhole = ({ networks }: Scope): boolean => networks === "all";
  const byAge = (scope: Scope): IndexKey => creationIndex(!isWhole(scope));

  return {
    byNetwork: async (scope) => {
      const sums = Object.fromEntries(COUNTED.map((kind) => [kind, { $sum: `$counts.${kind}` }]));
      const stages = [
        { $match: { ...within(scope), kind: "network" } },
        { $group: { _id: "$network_id", ...sums } },
      ] as const;
      const found = await share(scope, () =>
        scopedCollection<GuardDocument>(db, "guards")
          .aggregate<Counts & { _id: string }>([...stages], { ...options, hint: GUARD_INDEX })
          .toArray(),
      );
      return new Map(found.map(({ _id, ...counts }) => [_id, counts]));
    },
    byCategory: async (scope) => {
      const found = await grouped(scope, "services", { by: "$category", hint: CATEGORY_INDEX });
      return found.map(({ _id, found: services }) => ({ category: _id as Category, services }));
    },
    byPort: async (scope, most) => {
      const hint = isWhole(scope) ? HOST_PORTS_INDEX : orderIndex("number", true);
      const found = await grouped(scope, "ports", { by: { number: "$number", protocol: "$protocol" }, hint, most });
      return found.map(({ _id, found: hosts }) => ({ ...(_id as { number: number; protocol: Protocol }), hosts }));
    },
    bySubnet: async (scope, most) => {
      const hint = isWhole(scope) ? ONE_ADDRESS_INDEX : byAge(scope);
      const found = await grouped(scope, "interfaces", { by: "$subnet_id", hint, most });
      return new Map(found.map(({ _id, found: used }) => [String(_id), used]));
    },
    shared: async (scope, field, { most, named }) => {
      const of = { network_id: "$_id.network_id", value: "$_id.value" };
      const stages = [
        { $match: { ...withinHosts(scope), [field]: { $gt: "" } } },
        // Several interfaces of a host count once.
        { $group: { _id: { network_id: "$network_id", value: `$${field}`, host_id: "$host_id" } } },
        { $group: { _id: of, count: { $sum: 1 }, ids: { $minN: { input: "$_id.host_id", n: named } } } },
        { $match: { count: { $gt: 1 } } },
        { $sort: { "_id.network_id": 1, "_id.value": 1 } },
        { $limit: most },
      ] as const;
      const hint = field === "ip_key" ? IP_INDEX : MAC_INDEX;
      const found = await share(scope, () =>
        scopedCollection<EntityDocument>(db, "interfaces")
          .aggregate<Omit<SharedValue, "network_id" | "value"> & { _id: Pick<SharedValue, "network_id" | "value"> }>(
            [...stages],
            { ...options, hint },
          )
          .toArray(),
      );
      return found.map(({ _id, ...one }) => ({ ..._id, ...one, ids: one.ids.toSorted() }));
    },
    byVirtualization: async (scope, kind, most) => {
      const type = {
        $first: { $getField: { field: "captures", input: { $regexFind: { input: "$wire", regex: VIRTUALIZED } } } },
      };
      const before = [{ $project: { type } }, { $match: { type: { $type: "string" } } }];
      const found = await grouped(scope, kind, { by: "$type", hint: byAge(scope), before, most });
      return new Map(found.map(({ _id, found: count }) => [JSON.parse(`"${String(_id)}"`) as string, count]));
    },
  };
}
