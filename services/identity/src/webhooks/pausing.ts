import type { Db } from "mongodb";
import type { MadeWebhooks } from "@nts/shared/contract/webhooks";
import type { Log } from "@nts/shared/log";
import { withFreeLock } from "@nts/shared/mongo/lock";
import { repeatUntilStopped } from "@nts/shared/repeat";
import type { TopologyDirectory } from "../topology.js";
import { type EndedMaker, type EndedMakers, ENDED_MAKERS } from "./ended-makers.js";

// Webhooks belong to topology. It is asked directly, without the bus, once the revocation is committed; if it does not
// respond, or this process dies, the sweep of any process does it.

/** Milliseconds between polls for work. */
const EVERY_MS = 5_000;

/** Pauses webhooks of those who have lost access. */
export interface WebhookPausing {
  /**
   * Pauses the webhooks of a maker after the revocation is committed.
   *
   * @returns those that it made; null if there are none, or topology does not respond
   */
  pause(of: Pick<EndedMaker, "user_id"> & Partial<EndedMaker>): Promise<MadeWebhooks>;
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
  async function pauseDue(of: Partial<EndedMaker>, signal?: AbortSignal): Promise<MadeWebhooks> {
    const made = new Map<string, NonNullable<MadeWebhooks>["webhooks"][number]>();
    for (const maker of await makers.due(new Date(), of)) {
      if (signal?.aborted === true) break;
      for (const webhook of await topology.endWebhooks(maker)) made.set(webhook.id, webhook);
      await makers.done(maker, new Date());
    }
    return made.size === 0 ? null : { webhooks: [...made.values()] };
  }

  async function orNull(of: Partial<EndedMaker>, asked: Promise<MadeWebhooks>): Promise<MadeWebhooks> {
    return asked.catch((error: unknown) => {
      log.warn({ err: error, ...of }, "webhooks of a revoked user or key are paused as soon as topology responds");
      return null;
    });
  }

  return {
    pause: (of) => orNull(of, pauseDue(of)),
    list: (of) =>
      orNull(
        of,
        topology.endWebhooks({ ...of, reason: null }).then((webhooks) => (webhooks.length === 0 ? null : { webhooks })),
      ),
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
