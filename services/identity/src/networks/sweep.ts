import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "mongodb";
import type { Log } from "@nts/shared/log";
import { withFreeLock } from "@nts/shared/mongo/lock";
import { repeat, restMs } from "@nts/shared/repeat";
import type { Database } from "../database.js";
import type { RemoveDeletedTags } from "../keys/deleted-tags.js";
import type { UserDocument } from "../users/user.js";
import type { RemoveDeletedNetworks } from "./deleted-networks.js";

const EVERY_MS = 600_000;
/** The fraction of time in which a sweep works. */
const DUTY = 0.1;

export interface ReferenceSweepParts {
  readonly database: Database;
  readonly removeDeletedNetworks: RemoveDeletedNetworks;
  readonly removeDeletedTags: RemoveDeletedTags;
}

/** Processes all organizations once. @throws AppError `unavailable` if topology does not respond */
export type ReferenceSweep = (signal: AbortSignal) => Promise<void>;

/** Creates a sweep that removes deleted networks and tags from their holders, in case a notice was lost. */
export function createReferenceSweep(parts: ReferenceSweepParts): ReferenceSweep {
  const { database, removeDeletedNetworks, removeDeletedTags } = parts;

  /** Held by users whose account names another organization. */
  async function usedByOthers(organizationId: string): Promise<string[]> {
    const membership = { $elemMatch: { organization_id: organizationId } };
    const found = await database.share(organizationId, () =>
      database.db
        .collection<UserDocument>("users")
        .find({ other_memberships: membership }, { projection: { other_memberships: membership } })
        .toArray(),
    );
    return found.flatMap(({ other_memberships = [] }) => other_memberships.flatMap(({ network_ids }) => network_ids));
  }

  async function sweepOne(organizationId: string): Promise<void> {
    const used = (kind: "users" | "invites" | "api_keys", member: string): Promise<unknown[]> =>
      database.share(organizationId, () =>
        database.db.collection(kind).distinct(member, { organization_id: organizationId }),
      );
    // Read before asking for the existing ones: everything held existed by then.
    const networkIds: string[] = [];
    for (const kind of ["users", "invites", "api_keys"] as const)
      networkIds.push(...textsOf(await used(kind, "network_ids")));
    networkIds.push(...(await usedByOthers(organizationId)));
    await removeDeletedNetworks(organizationId, networkIds);
    await removeDeletedTags(organizationId, textsOf(await used("api_keys", "tags")));
  }

  return async (signal) => {
    const organizations = database.db.collection<{ _id: string }>("organizations");
    for await (const { _id } of organizations.find({}, { projection: { _id: 1 } })) {
      const startedAt = performance.now();
      await sweepOne(_id);
      await delay(restMs(startedAt, DUTY), null, { signal, ref: false }).catch(() => null);
      if (signal.aborted) return;
    }
  };
}

/** Sweeps periodically until stopped; only one process per database at a time. */
export function startReferenceSweep(db: Db, log: Log, sweep: ReferenceSweep): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  const running = repeat(() => withFreeLock(db, "references", () => sweep(signal)), {
    everyMs: () => EVERY_MS * (0.5 + Math.random()),
    waitsFirst: true,
    signal,
    onFault: (error) => {
      log.warn({ err: error }, "deleted networks and tags stay granted until the next sweep");
    },
  });
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

/** Null stands for all networks. */
function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === "string");
}
