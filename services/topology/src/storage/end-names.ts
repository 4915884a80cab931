import type { ClientSession } from "mongodb";
import { type Between, nameOf } from "@nts/shared/contract/names.rules";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "./database.js";
import type { EntityDocument } from "./entities.js";
import { BY_ID } from "./indexes.js";
import { within } from "./scope.js";
import { scopedCollection } from "./scoped-collection.js";

// What is between hosts has no name of its own: people call it by what is at its ends.

/** Names by id. */
export type Names = ReadonlyMap<string, string>;

export type ReadEndNames = (tx: ClientSession, scope: Scope, some: readonly Between[]) => Promise<Names>;

/** What is at the ends of some, as the transaction sees it. */
export function createEndNames({ db }: Database): ReadEndNames {
  return async (tx, scope, some) => {
    const names = new Map<string, string>();
    for (const [kind, ids] of Object.entries(idsOf(some))) {
      if (ids.size === 0) continue;
      const found = await scopedCollection<EntityDocument>(db, kind)
        .find(
          { ...within(scope), _id: { $in: [...ids] } },
          { projection: { name: 1, number: 1, protocol: 1 }, session: tx, hint: BY_ID },
        )
        .toArray();
      for (const document of found) names.set(document._id, nameOf(document));
    }
    return names;
  };
}

/** What is at the ends of some, by collection. */
export function idsOf(some: readonly Between[]): Readonly<Record<"hosts" | "services" | "ports", ReadonlySet<string>>> {
  const hosts = some.flatMap(({ client, server, ends = [] }) => [client, server, ...ends].map((end) => end?.host_id));
  const services = some.flatMap(({ client, server }) => [client?.service_id, server?.service_id]);
  const known = (ids: readonly (string | null | undefined)[]): Set<string> => new Set(ids.flatMap((id) => id ?? []));
  return { hosts: known(hosts), services: known(services), ports: known(some.map(({ server }) => server?.port_id)) };
}
