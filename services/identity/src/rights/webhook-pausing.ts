import type { Db } from "mongodb";
import type { MadeWebhooks } from "@nts/shared/contract/webhooks";
import type { Log } from "@nts/shared/log";
import { withFreeLock } from "@nts/shared/mongo/lock";
import { repeatUntilStopped } from "@nts/shared/repeat";
import { afterCommit, type Work } from "@nts/shared/work";
import type { TopologyDirectory } from "../topology/directory.js";
import { type EndedMaker, type EndedMakers, ENDED_MAKERS } from "../storage/ended-webhook-makers.js";

// Webhooks belong to topology. It is asked directly, without the bus, once the revocation is committed; if it does not
// respond, or this process dies, the sweep of any process does it.

/** Milliseconds between polls for work. */
const EVERY_MS = 5_000;

type Made = NonNullable<MadeWebhooks>["webhooks"][number];
type Pausing = Pick<EndedMaker, "user_id"> & Partial<EndedMaker>;

/** Pauses webhooks of those who have lost access. */
export interface WebhookPausing {
  /** Pauses the webhooks of a maker, if there is one to end, once the revocation is committed. */
  pause(work: Work, of: Pausing): Promise<void>;
  /**
   * The same after a removal.
   *
   * @returns those that it made, as they are afterwards; null if there are none, or topology does not respond
   */
  pauseAndList(work: Work, of: Pausing): Promise<MadeWebhooks>;
  /** Only lists them. */
  list(of: Pick<EndedMaker, "organization_id" | "user_id" | "key_id">): Promise<MadeWebhooks>;
  /** Pauses all that are due. */
  sweep(signal: AbortSignal): Promise<void>;
}

export function createWebhookPausing(
  makers: EndedMakers,
  topology: Pick<TopologyDirectory, "endWebhooks">,
  log: Log,
): WebhookPausing {
  /** @returns null if nothing was due */
  async function pauseDue(of: Partial<EndedMaker>, signal?: AbortSignal): Promise<Made[] | null> {
    const due = await makers.due(new Date(), of);
    const made = new Map<string, Made>();
    for (const maker of due) {
      if (signal?.aborted === true) break;
      for (const webhook of await topology.endWebhooks(maker)) made.set(webhook.id, webhook);
      await makers.done(maker, new Date());
    }
    return due.length === 0 ? null : [...made.values()];
  }

  async function list({ organization_id, user_id, key_id = null }: Pausing): Promise<Made[]> {
    return organization_id === undefined
      ? []
      : topology.endWebhooks({ organization_id, user_id, key_id, reason: null });
  }

  async function orNull(of: Partial<EndedMaker>, listing: Promise<Made[]>): Promise<MadeWebhooks> {
    const found = listing.then((webhooks) => (webhooks.length === 0 ? null : { webhooks }));
    return found.catch((error: unknown) => {
      log.warn({ err: error, ...of }, "webhooks of a revoked user or key are paused as soon as topology responds");
      return null;
    });
  }

  const pause = (work: Work, of: Pausing): Promise<void> =>
    afterCommit(work, async () => {
      await orNull(
        of,
        pauseDue(of).then((paused) => paused ?? []),
      );
    });

  /** The sweep may have paused them in between. */
  const paused = async (of: Pausing): Promise<Made[]> =>
    (await pauseDue(of)) ?? (await list(of)).filter(({ is_paused }) => is_paused);

  const toBePaused = async (of: Pausing): Promise<Made[]> =>
    (await list(of)).map((webhook) => ({ ...webhook, is_paused: true }));

  return {
    pause,
    pauseAndList: async (work, of) => {
      if (work.unit === undefined) return orNull(of, paused(of));
      // The response is made before the commit, which a dry run never reaches.
      const made = await orNull(of, toBePaused(of));
      await pause(work, of);
      return made;
    },
    list: (of) => orNull(of, list(of)),
    sweep: async (signal) => {
      await pauseDue({}, signal);
    },
  };
}

/** Sweeps until stopped; only one process per database at a time. */
export function startWebhookPausing(db: Db, log: Log, sweep: WebhookPausing["sweep"]): { stop(): Promise<void> } {
  const sweepWhatIsDue = async (signal: AbortSignal): Promise<void> => {
    const due = await db.collection(ENDED_MAKERS).findOne({ due_at: { $lte: new Date() } }, { projection: { _id: 1 } });
    if (due !== null) await withFreeLock(db, ENDED_MAKERS, () => sweep(signal));
  };
  return repeatUntilStopped(sweepWhatIsDue, {
    everyMs: EVERY_MS,
    onFault: (error) => {
      log.warn({ err: error }, "webhooks of revoked users and keys could not be paused; retrying");
    },
  });
}
