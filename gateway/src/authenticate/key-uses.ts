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
  readonly is_previous: boolean;
}

/** The uses of a key that are not told yet. */
interface Collected {
  readonly keyId: string;
  readonly isPrevious: boolean;
  time: number;
  readonly addresses: Set<string>;
}

type Use = Omit<Collected, "addresses"> & { readonly addresses: Iterable<string> };

export interface KeyUses {
  /** Notes that a key is used now, from an address. @param isPrevious by the secret before the last rotation */
  record(keyId: string, address: string, isPrevious?: boolean): void;
  /** Tells what is collected. */
  flush(): Promise<void>;
  /** Tells what is collected for the last time. */
  stop(): Promise<void>;
}

/** Starts to collect. */
export function createKeyUses(send: (uses: KeyUse[]) => Promise<unknown>, log: Log): KeyUses {
  let used = new Map<string, Collected>();
  let sending: Promise<void> = Promise.resolve();

  function record({ keyId, isPrevious, time, addresses }: Use): void {
    const id = isPrevious ? `${keyId} previous` : keyId;
    let known = used.get(id);
    if (known === undefined) {
      if (used.size >= MOST_KEYS) return;
      known = { keyId, isPrevious, time, addresses: new Set() };
      used.set(id, known);
    }
    known.time = Math.max(known.time, time);
    for (const address of addresses) if (known.addresses.size < MOST_USED_ADDRESSES) known.addresses.add(address);
  }

  async function sendAll(): Promise<void> {
    const collected = [...used.values()];
    used = new Map();
    for (let start = 0; start < collected.length; start += BATCH) {
      const batch = collected.slice(start, start + BATCH);
      try {
        await send(batch.map(useOf));
      } catch (error) {
        log.warn({ err: error, keys: collected.length - start }, "key usage could not be recorded yet");
        for (const use of collected.slice(start)) record(use);
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
    record: (keyId, address, isPrevious = false) => {
      record({ keyId, isPrevious, time: Date.now(), addresses: [address] });
    },
    flush,
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}

function useOf({ keyId, isPrevious, time, addresses }: Collected): KeyUse {
  const used_at = new Date(time).toISOString();
  return { key_id: keyId, used_at, addresses: [...addresses], is_previous: isPrevious };
}
