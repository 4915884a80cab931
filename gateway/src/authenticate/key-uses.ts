import { MOST_USED_ADDRESSES } from "@nts/shared/contract/internal";
import type { Log } from "@nts/shared/log";

// Collects when API keys were last used, and from where, and tells identity in batches, so that using a key costs no write. What
// cannot be told is kept for the next time; beyond the bounds, further keys and further addresses of a key are not recorded.

const FLUSH_EVERY_MS = 5_000;
const BATCH = 1_000;
const MOST_KEYS = 100_000;

/** One line of what identity is told. */
export interface KeyUse {
  readonly key_id: string;
  readonly used_at: string;
  readonly addresses: string[];
}

/** The uses of a key that are not told yet. */
interface Collected {
  time: number;
  readonly addresses: Set<string>;
}

export interface KeyUses {
  /** Notes that a key is used now, from an address. */
  record(keyId: string, address: string): void;
  /** Tells what is collected. */
  flush(): Promise<void>;
  /** Tells what is collected for the last time. */
  stop(): Promise<void>;
}

/** Starts to collect. */
export function createKeyUses(send: (uses: KeyUse[]) => Promise<unknown>, log: Log): KeyUses {
  let used = new Map<string, Collected>();
  let sending: Promise<void> = Promise.resolve();

  function record(keyId: string, time: number, addresses: Iterable<string>): void {
    let known = used.get(keyId);
    if (known === undefined) {
      if (used.size >= MOST_KEYS) return;
      known = { time, addresses: new Set() };
      used.set(keyId, known);
    }
    known.time = Math.max(known.time, time);
    for (const address of addresses) if (known.addresses.size < MOST_USED_ADDRESSES) known.addresses.add(address);
  }

  async function sendAll(): Promise<void> {
    const collected = [...used];
    used = new Map();
    for (let start = 0; start < collected.length; start += BATCH) {
      const batch = collected.slice(start, start + BATCH);
      try {
        await send(batch.map(useOf));
      } catch (error) {
        log.warn({ err: error, keys: collected.length - start }, "uses of keys could not be recorded yet");
        for (const [keyId, { time, addresses }] of collected.slice(start)) record(keyId, time, addresses);
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
    record: (keyId, address) => {
      record(keyId, Date.now(), [address]);
    },
    flush,
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}

function useOf([keyId, { time, addresses }]: [string, Collected]): KeyUse {
  return { key_id: keyId, used_at: new Date(time).toISOString(), addresses: [...addresses] };
}
