import type { Db } from "mongodb";
import type { Registry } from "prom-client";
import { addGauges } from "@nts/shared/metrics";
import { createPace, repeatUntilStopped } from "@nts/shared/repeat";
import { OUTGOING_MAILS } from "../storage/outbox.js";

/** Reads happen in the background, so that a scrape does not wait for the database; seldom, if nobody scrapes. */
const READS = { oftenMs: 10_000, seldomMs: 60_000, forMs: 90_000 };

interface Queue {
  readonly length: number;
  readonly oldest: Date | null;
}

/** Adds gauges of queued mails, the same in every process, until stopped. */
export function startMailQueueMetrics(db: Db, registry: Registry): { stop(): Promise<void> } {
  const mails = db.collection<{ created_at: Date }>(OUTGOING_MAILS);
  const pace = createPace(READS);
  let queue: Queue = { length: 0, oldest: null };
  addGauges(registry, [
    [
      "nts_mail_queue_length",
      "Mails that are queued.",
      () => {
        pace.busy();
        return queue.length;
      },
    ],
    [
      "nts_mail_oldest_queued_seconds",
      "Time since the oldest queued mail was queued; 0 if there is none.",
      () => (queue.oldest === null ? 0 : Math.max(0, Date.now() - queue.oldest.getTime()) / 1_000),
    ],
  ]);
  async function read(): Promise<void> {
    const [length, oldest] = await Promise.all([
      mails.estimatedDocumentCount(),
      mails
        .find({}, { projection: { created_at: 1 } })
        .sort({ created_at: 1 })
        .limit(1)
        .next(),
    ]);
    queue = { length, oldest: oldest?.created_at ?? null };
  }
  return repeatUntilStopped(read, { everyMs: pace.everyMs, onFault: () => undefined });
}
