import { setTimeout as delay } from "node:timers/promises";
import type { Collection, Db } from "mongodb";
import type { Log } from "@nts/shared/log";
import { withFreeLock } from "@nts/shared/mongo/lock";
import { repeatUntilStopped, restMs } from "@nts/shared/repeat";
import { KEY_ADDRESSES } from "../../storage/key-addresses.js";
import { COLLECTORS } from "../../storage/collectors.js";
import { SHARES } from "../../storage/shares.js";
import { forgetUsage } from "../../storage/key-usage.js";
import type { TopologyDirectory } from "../../topology/directory.js";
import { inOrganization, MOST_ORGANIZATIONS } from "../../model/memberships.rules.js";
import type { UserDocument } from "../../model/user.js";
import { type OrganizationDeletions, ORGANIZATION_DELETIONS } from "../../storage/organization-deletions.js";

// Once its document is deleted, no credential of an organization is accepted and nothing can be added. Then its
// documents are purged in batches, which any process can continue.

/** Milliseconds between polls for work. */
const EVERY_MS = 5_000;
/** Documents deleted at a time. */
const BATCH = 100;
/** The fraction of time in which a sweep works. */
const DUTY = 0.5;

type Owned = Collection<{ _id: string; organization_id: string }>;

/** An account from now on names the first of its other organizations. */
const NAMING_THE_NEXT = {
  $replaceWith: {
    $mergeObjects: [
      ...["$$ROOT", { $first: "$other_memberships" }],
      { other_memberships: { $slice: ["$other_memberships", 1, MOST_ORGANIZATIONS] } },
    ],
  },
};

/** Purges deleted organizations. @throws AppError `unavailable` if topology does not respond */
export type OrganizationSweep = (signal: AbortSignal) => Promise<void>;

export function createOrganizationSweep(
  db: Db,
  deletions: OrganizationDeletions,
  topology: Pick<TopologyDirectory, "removeOrganization">,
): OrganizationSweep {
  const owned = (kind: string): Owned => db.collection(kind);
  const users = db.collection<UserDocument>("users");

  /** @param along deletes dependents first */
  async function sweepKind(
    kind: string,
    organizationId: string,
    { along, signal }: { along: (ids: readonly string[]) => Promise<unknown>; signal: AbortSignal },
  ): Promise<void> {
    const ofIt = { organization_id: organizationId };
    while (!signal.aborted) {
      const startedAt = performance.now();
      const found = await owned(kind)
        .find(ofIt, { projection: { _id: 1 }, limit: BATCH })
        .toArray();
      if (found.length === 0) return;
      const ids = found.map(({ _id }) => _id);
      await along(ids);
      await owned(kind).deleteMany({ ...ofIt, _id: { $in: ids } });
      await delay(restMs(startedAt, DUTY), null, { signal, ref: false }).catch(() => null);
    }
  }

  /** Accounts without another organization are deleted; others lose this one. */
  async function sweepUsers(organizationId: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      const found = await users
        .find(inOrganization(organizationId), { projection: { _id: 1 }, limit: BATCH })
        .toArray();
      if (found.length === 0) return;
      const those = { _id: { $in: found.map(({ _id }) => _id) } };
      const acting = { user_id: those._id, organization_id: organizationId };
      await db.collection("sessions").deleteMany(acting);
      const named = { ...those, organization_id: organizationId };
      // Each write checks the current document, as users may join or leave meanwhile.
      await users.deleteMany({ ...named, "other_memberships.0": { $exists: false } });
      await users.updateMany({ ...named, "other_memberships.0": { $exists: true } }, [NAMING_THE_NEXT]);
      await users.updateMany(those, { $pull: { other_memberships: { organization_id: organizationId } } });
      await delay(restMs(startedAt, DUTY), null, { signal, ref: false }).catch(() => null);
    }
  }

  return async (signal) => {
    for (const id of await deletions.pending()) {
      const usage = async (ids: readonly string[]): Promise<void> => {
        await db.collection<{ _id: string }>(KEY_ADDRESSES).deleteMany({ _id: { $in: [...ids] } });
        await forgetUsage(db, ids);
      };
      await sweepUsers(id, signal);
      await sweepKind("api_keys", id, { along: usage, signal });
      await sweepKind(SHARES, id, { along: () => Promise.resolve(), signal });
      await sweepKind(COLLECTORS, id, { along: () => Promise.resolve(), signal });
      await sweepKind("invites", id, { along: () => Promise.resolve(), signal });
      await topology.removeOrganization(id);
      if (signal.aborted) return;
      await deletions.forget(id);
    }
  };
}

/** Sweeps until stopped; only one process per database at a time. */
export function startOrganizationSweep(db: Db, log: Log, sweep: OrganizationSweep): { stop(): Promise<void> } {
  const sweepWhatIsDue = async (signal: AbortSignal): Promise<void> => {
    const due = await db.collection(ORGANIZATION_DELETIONS).findOne({}, { projection: { _id: 1 } });
    if (due !== null) await withFreeLock(db, ORGANIZATION_DELETIONS, () => sweep(signal));
  };
  return repeatUntilStopped(sweepWhatIsDue, {
    everyMs: EVERY_MS,
    onFault: (error) => {
      log.warn({ err: error }, "the sweep of a deleted organization was interrupted; resuming");
    },
  });
}
