import type { Log } from "@nts/shared/log";

// Collects when API keys were last used and tells identity in batches, so that using a key costs no write. What cannot be
// told is kept for the next time; beyond the bound, uses of further keys are not recorded.

const FLUSH_EVERY_MS = 5_000;
const BATCH = 1_000;
const MOST_KEYS = 100_000;

/** One line of what identity is told. */
export interface KeyUse {
  readonly key_id: string;
  readonly used_at: string;
}

export interface KeyUses {
  /** Notes that a key is used now. */
  record(keyId: string): void;
  /** Tells what is collected. */
  flush(): Promise<void>;
  /** Tells what is collected for the last time. */
  stop(): Promise<void>;
}

/** Starts to collect. */
export function createKeyUses(send: (uses: KeyUse[]) => Promise<unknown>, log: Log): KeyUses {
  let usedAt = new Map<string, number>();
  let sending: Promise<void> = Promise.resolve();

  function record(keyId: string, time: number): void {
    const known = usedAt.get(keyId);
    if (known === undefined ? usedAt.size < MOST_KEYS : known < time) usedAt.set(keyId, time);
  }

  async function sendAll(): Promise<void> {
    const collected = [...usedAt];
    usedAt = new Map();
    for (let start = 0; start < collected.length; start += BATCH) {
      const batch = collected.slice(start, start + BATCH);
      try {
        await send(batch.map(([keyId, time]) => ({ key_id: keyId, used_at: new Date(time).toISOString() })));
      } catch (error) {
        log.warn({ err: error, keys: collected.length - start }, "uses of keys could not be recorded yet");
        for (const [keyId, time] of collected.slice(start)) record(keyId, time);
        return;
      }
    }
  }

  function flush(): Promise<void> {
    sending = sending.then(sendAll);
    return sending;
  }

  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS).unref();
  return {
    record: (keyId) => {
      record(keyId, Date.now());
    },
    flush,
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}
