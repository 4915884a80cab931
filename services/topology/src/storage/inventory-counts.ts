import type { Db, Document } from "mongodb";
import { chunksOf } from "@nts/shared/groups";
import { STRANGER } from "../values/facets.rules.js";
import { CERTIFICATES_INDEX, FACET_INDEX, GUARD_INDEX, type IndexKey, SIGHTED_INDEX } from "./indexes.js";

// Counts of what there is in each network of every organization, for the operator: from counters and partial indexes, of
// many organizations in a command.

const ORGANIZATIONS_AT_ONCE = 100;
const LONGEST_MS = 10_000;

/** What is counted of a network. */
export type NetworkCounts = Readonly<
  Record<
    | "hosts"
    | "strangers"
    | "missed_hosts"
    | "ports"
    | "services"
    | "missed_services"
    | "certificates"
    | "certificates_ending",
    number
  >
>;

export interface CountedNetwork {
  readonly id: string;
  readonly name: string;
  readonly counts: NetworkCounts;
}

interface Counting {
  readonly collection: string;
  readonly filter: Document;
  readonly hint: IndexKey;
  /** What is added up, by what it is called. */
  readonly sums: Partial<Record<keyof NetworkCounts, unknown>>;
}

const NONE: NetworkCounts = {
  ...{ hosts: 0, strangers: 0, missed_hosts: 0, ports: 0 },
  ...{ services: 0, missed_services: 0, certificates: 0, certificates_ending: 0 },
};

function countingsOf(soonMs: number): readonly Counting[] {
  const missed = { sighted: true, missed: { $gt: 0 } };
  return [
    {
      ...{ collection: "guards", filter: { kind: "network" }, hint: GUARD_INDEX },
      sums: { hosts: "$counts.hosts", ports: "$counts.ports", services: "$counts.services" },
    },
    { collection: "hosts", filter: { facets: STRANGER }, hint: FACET_INDEX, sums: { strangers: 1 } },
    { collection: "hosts", filter: missed, hint: SIGHTED_INDEX, sums: { missed_hosts: 1 } },
    { collection: "services", filter: missed, hint: SIGHTED_INDEX, sums: { missed_services: 1 } },
    {
      ...{ collection: "ports", filter: { certificate_ends: { $gt: 0 } }, hint: CERTIFICATES_INDEX },
      sums: { certificates: 1, certificates_ending: { $cond: [{ $lt: ["$certificate_ends", soonMs] }, 1, 0] } },
    },
  ];
}

/** @param soonMs certificates that end before this time are ending */
export async function countInventories(db: Db, soonMs: number): Promise<CountedNetwork[]> {
  const networks = await db
    .collection<{ _id: string; organization_id: string; name: string }>("networks")
    .find({}, { projection: { organization_id: 1, name: 1 }, maxTimeMS: LONGEST_MS })
    .toArray();
  const counts = new Map(networks.map(({ _id }) => [_id, { ...NONE }]));
  const organizations = [...new Set(networks.map((one) => one.organization_id))];
  for (const some of chunksOf(organizations, ORGANIZATIONS_AT_ONCE))
    for (const counting of countingsOf(soonMs))
      for (const { _id, ...more } of await counted(db, some, counting)) Object.assign(counts.get(_id) ?? {}, more);
  return networks.map(({ _id: id, name }) => ({ id, name, counts: counts.get(id) ?? NONE }));
}

function counted(db: Db, organizations: readonly string[], { collection, filter, hint, sums }: Counting) {
  const summed = Object.fromEntries(Object.entries(sums).map(([name, of]) => [name, { $sum: of }]));
  const stages = [
    { $match: { organization_id: { $in: organizations }, ...filter } },
    { $group: { _id: "$network_id", ...summed } },
  ];
  return db
    .collection(collection)
    .aggregate<Partial<NetworkCounts> & { _id: string }>(stages, { hint, maxTimeMS: LONGEST_MS })
    .toArray();
}
