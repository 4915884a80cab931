import type { Db } from "mongodb";
import type { Registry } from "prom-client";
import { addGauges } from "@nts/shared/metrics";
import { createPace, repeat } from "@nts/shared/repeat";
import { journalCollections, type TailDocument } from "./journal/collections.js";
import { openDeletions } from "./storage/deletion-records.js";
import { createWebhookStates } from "./storage/webhook-states.js";

// Gauges of what is stored, the same in every process: they exist without requests, and while nobody keeps the journal.
// They are read in the background, so that a scrape does not wait for the database; ages grow while it is not reachable.
// Nobody scrapes most of the small systems, so they are read seldom without scrapes.

const READS = { oftenMs: 5_000, seldomMs: 30_000, forMs: 90_000 };

interface Stored {
  readonly tail: Pick<TailDocument, "told" | "read"> | null;
  readonly setAside: number;
  readonly oldestDeletion: Date | null;
  readonly pausedWebhooks: number;
}

export interface StateMetrics {
  stop(): Promise<void>;
}

export function startStateMetrics(db: Db, registry: Registry): StateMetrics {
  const startedAt = Date.now();
  const stopping = new AbortController();
  let stored: Stored = { tail: null, setAside: 0, oldestDeletion: null, pausedWebhooks: 0 };
  const pace = createPace(READS);
  const secondsSince = (ms: number): number => Math.max(0, Date.now() - ms) / 1_000;
  const ageOf = (field: "told" | "read"): number => {
    const time = stored.tail?.[field] ?? null;
    return secondsSince(time === null ? startedAt : time.t * 1_000);
  };
  addGauges(registry, [
    [
      "nts_journal_position_age_seconds",
      "Time since the position up to which all changes of all organizations are recorded; since the start if there is none.",
      () => {
        pace.busy();
        return ageOf("told");
      },
    ],
    [
      "nts_journal_read_age_seconds",
      "Time since the position up to which changes were read; those of an organization with many of them may wait.",
      () => ageOf("read"),
    ],
    [
      "nts_journal_set_aside_entities",
      "Entities with changes that could not be recorded and were set aside.",
      () => stored.setAside,
    ],
    [
      "nts_deletions_oldest_pending_seconds",
      "Time since the oldest deletion that is not swept yet; 0 if there is none.",
      () => (stored.oldestDeletion === null ? 0 : secondsSince(stored.oldestDeletion.getTime())),
    ],
    ["nts_webhooks_paused", "Webhooks that were paused because they failed for days.", () => stored.pausedWebhooks],
  ]);
  const read = readingOf(db);
  const reading = repeat(async () => void (stored = await read()), {
    everyMs: pace.everyMs,
    signal: stopping.signal,
    onFault: () => undefined,
  });
  return {
    stop: () => {
      stopping.abort();
      return reading;
    },
  };
}

function readingOf(db: Db): () => Promise<Stored> {
  const { tails, setAside } = journalCollections(db);
  const deletions = openDeletions(db);
  const webhooks = createWebhookStates(db);
  return async () => {
    const pending = { swept_at: { $exists: false } };
    const [tail, aside, oldest, pausedWebhooks] = await Promise.all([
      tails.findOne({ _id: "topology" }, { projection: { told: 1, read: 1 } }),
      setAside.estimatedDocumentCount(),
      deletions
        .find(pending, { projection: { deleted_at: 1 } })
        .sort({ deleted_at: 1 })
        .limit(1)
        .next(),
      webhooks.countPaused(),
    ]);
    return { tail, setAside: aside, oldestDeletion: oldest?.deleted_at ?? null, pausedWebhooks };
  };
}
