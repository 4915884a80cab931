import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "mongodb";
import { isId } from "@nts/shared/contract/common";
import type { Log } from "@nts/shared/log";
import { withFreeLock } from "@nts/shared/mongo/lock";
import { repeatUntilStopped, restMs } from "@nts/shared/repeat";
import type { Database } from "../../storage/database.js";
import type { RemoveDeletedTags } from "./deleted-tags.js";
import type { EndCollectors, EndShares } from "./ended-shares.js";
import type { KeyDocument } from "../../model/key.rules.js";
import type { TopologyDirectory } from "../../topology/directory.js";
import type { RemoveDeletedNetworks } from "./deleted-networks.js";
import { foundInParts } from "../../storage/found-in-parts.js";
import { type Holders, openHolders } from "../../storage/network-holders.js";

const EVERY_MS = 600_000;
/** The fraction of time in which a sweep works. */
const DUTY = 0.1;

export interface ReferenceSweepParts {
  readonly database: Database;
  readonly removeDeletedNetworks: RemoveDeletedNetworks;
  readonly removeDeletedTags: RemoveDeletedTags;
  readonly endShares: EndShares;
  readonly endCollectors: EndCollectors;
  readonly topology: Pick<TopologyDirectory, "networksIn">;
  readonly log: Log;
}

/** Processes all organizations once; one that fails does not keep others waiting. */
export type ReferenceSweep = (signal: AbortSignal) => Promise<void>;

/** Creates a sweep that removes deleted networks and tags from their holders, in case a notice was lost. */
export function createReferenceSweep(parts: ReferenceSweepParts): ReferenceSweep {
  const { database, removeDeletedNetworks, removeDeletedTags, endShares, endCollectors, topology, log } = parts;
  const { db, share } = database;
  const everywhere = openHolders(db);

  /** Networks that are held, and did not exist a moment ago; one created since is among them. */
  async function suspects(organizationId: string): Promise<string[]> {
    const existing = await topology.networksIn({ organizationId, networks: "all" });
    const known = new Set(existing);
    const held = new Set<string>();
    for (const holders of everywhere)
      for await (const ids of namedBy(holders, organizationId, existing)) for (const id of ids) held.add(id);
    return [...held].filter((id) => !known.has(id));
  }

  /** The networks of those who hold any other than these. */
  async function* namedBy(holders: Holders, organizationId: string, existing: string[]): AsyncGenerator<string[]> {
    const { collection, of, naming, networksOf } = holders;
    const matching = naming(organizationId, { $elemMatch: { $nin: existing } });
    const fields = { network_ids: 1, other_memberships: 1 } as const;
    const searched = { organizationId, all: of(organizationId), matching, fields };
    for await (const found of foundInParts(share, collection, searched))
      yield found.flatMap((holder) => networksOf(holder, organizationId));
  }

  async function managedTags(organizationId: string): Promise<string[]> {
    const collection = db.collection<KeyDocument>("api_keys");
    const all = { organization_id: organizationId };
    const carried = new Set<string>();
    const those = {
      organizationId,
      all,
      matching: { ...all, "tags.0": { $exists: true } },
      fields: { tags: 1 },
    } as const;
    for await (const found of foundInParts(share, collection, those))
      for (const tag of found.flatMap(({ tags }) => tags.filter(isId))) carried.add(tag);
    return [...carried];
  }

  async function sweepOne(organizationId: string): Promise<void> {
    await removeDeletedNetworks(organizationId, await suspects(organizationId));
    await removeDeletedTags(organizationId, await managedTags(organizationId));
    await endShares(organizationId);
    await endCollectors(organizationId);
  }

  return async (signal) => {
    const organizations = db.collection<{ _id: string }>("organizations");
    for await (const { _id } of organizations.find({}, { projection: { _id: 1 } })) {
      const startedAt = performance.now();
      await sweepOne(_id).catch((error: unknown) => {
        log.warn({ err: error, organization_id: _id }, "deleted networks and tags stay granted until the next sweep");
      });
      await delay(restMs(startedAt, DUTY), null, { signal, ref: false }).catch(() => null);
      if (signal.aborted) return;
    }
  };
}

/** Sweeps periodically until stopped; only one process per database at a time. */
export function startReferenceSweep(db: Db, log: Log, sweep: ReferenceSweep): { stop(): Promise<void> } {
  return repeatUntilStopped((signal) => withFreeLock(db, "references", () => sweep(signal)), {
    everyMs: () => EVERY_MS * (0.5 + Math.random()),
    waitsFirst: true,
    onFault: (error) => {
      log.warn({ err: error }, "deleted networks and tags could not be looked for; the next sweep does");
    },
  });
}
