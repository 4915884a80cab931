import { MOST_USED_ADDRESSES } from "@nts/shared/contract/internal";
import type { Log } from "@nts/shared/log";
import { chunksOf } from "@nts/shared/groups";

// Collects when and from where API keys were used, and reports to identity in batches, so that requests need no write.
// Failed reports are repeated unchanged; keys and addresses beyond the limits are not recorded.

const FLUSH_EVERY_MS = 5_000;
const BATCH = 1_000;
const MOST_KEYS = 100_000;

/** One line of a report. */
export interface KeyUse {
  readonly key_id: string;
  readonly used_at: string;
  readonly addresses: string[];
  readonly is_previous: boolean;
  readonly requests: number;
  readonly is_share?: true;
  readonly is_collector?: true;
}

/** A report to identity. */
export interface ReportedUses {
  /** Ascending per gateway: identity counts each number once. */
  readonly report: { readonly gateway: string; readonly number: number; readonly at: string };
  readonly uses: KeyUse[];
  readonly refusals: { readonly key_id: string; readonly count: number }[];
}

/** Unreported uses of a key. */
interface Collected {
  readonly keyId: string;
  readonly isPrevious: boolean;
  readonly isShare: boolean;
  readonly isCollector: boolean;
  time: number;
  readonly addresses: Set<string>;
  requests: number;
  refusals: number;
}

/** A request with a key. */
export interface UsedKey {
  readonly keyId: string;
  readonly address: string;
  /** With the secret before the last rotation. */
  readonly isPrevious: boolean;
  /** It is a share, whose addresses are not recorded: people with a link need not be known. */
  readonly isShare?: boolean;
  readonly isCollector?: boolean;
}

type Whose = Omit<UsedKey, "address">;

export interface KeyUses {
  /** Records a use of a key. */
  record(used: UsedKey): void;
  /** Records a rejected request of a key. Its address is not recorded, because it is not a use. */
  recordRefusal(keyId: string): void;
  /** Reports what was collected. */
  flush(): Promise<void>;
  /** Sends the final report. */
  stop(): Promise<void>;
}

/** Starts collecting. @param gateway the id of this process */
export function createKeyUses(gateway: string, send: (reported: ReportedUses) => Promise<unknown>, log: Log): KeyUses {
  let used = new Map<string, Collected>();
  const report = createReporting(gateway, send, log);
  let sending: Promise<void> = Promise.resolve();

  /** What is unreported of a key; null if there are too many. */
  function unreportedOf({ keyId, isPrevious, isShare = false, isCollector = false }: Whose): Collected | null {
    const id = isPrevious ? `${keyId} previous` : keyId;
    const known = used.get(id);
    if (known !== undefined) return known;
    if (used.size >= MOST_KEYS) return null;
    const made = { keyId, isPrevious, isShare, isCollector, time: 0, addresses: new Set<string>() };
    const one = { ...made, requests: 0, refusals: 0 };
    used.set(id, one);
    return one;
  }

  function take(): Collected[] {
    const collected = [...used.values()];
    used = new Map();
    return collected;
  }

  function flush(): Promise<void> {
    sending = sending.then(() => report(take));
    return sending;
  }

  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS).unref();
  return {
    record: (key) => {
      const known = unreportedOf(key);
      if (known === null) return;
      known.requests += 1;
      known.time = Date.now();
      if (!known.isShare && known.addresses.size < MOST_USED_ADDRESSES) known.addresses.add(key.address);
    },
    recordRefusal: (keyId) => {
      const known = unreportedOf({ keyId, isPrevious: false });
      if (known !== null) known.refusals += 1;
    },
    flush,
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}

type Report = (take: () => Collected[]) => Promise<void>;

/** Reports a batch after all earlier reports have arrived. */
function createReporting(gateway: string, send: (reported: ReportedUses) => Promise<unknown>, log: Log): Report {
  // Reports with unknown outcome, oldest first.
  let pending: ReportedUses[] = [];
  let made = 0;

  /** @returns false if identity may not have received all of it */
  async function sendPending(): Promise<boolean> {
    for (let first = pending[0]; first !== undefined; first = pending[0]) {
      try {
        await send(first);
      } catch (error) {
        log.warn({ err: error, reports: pending.length }, "key usage could not be recorded yet");
        return false;
      }
      pending.shift();
    }
    return true;
  }

  return async (take) => {
    if (!(await sendPending())) return;
    const collected = take();
    const at = new Date().toISOString();
    pending = chunksOf(collected, BATCH).map((batch) => reportedOf({ gateway, number: ++made, at }, batch));
    await sendPending();
  };
}

function reportedOf(report: ReportedUses["report"], batch: readonly Collected[]): ReportedUses {
  return {
    report,
    // Rejected requests do not count as use.
    uses: batch.filter(({ requests }) => requests > 0).map(useOf),
    refusals: batch.flatMap(({ keyId, refusals }) => (refusals === 0 ? [] : [{ key_id: keyId, count: refusals }])),
  };
}

function useOf({ keyId, isPrevious, isShare, isCollector, time, addresses, requests }: Collected): KeyUse {
  const used_at = new Date(time).toISOString();
  return {
    key_id: keyId,
    used_at,
    addresses: [...addresses],
    is_previous: isPrevious,
    requests,
    ...(isShare && { is_share: true }),
    ...(isCollector && { is_collector: true }),
  };
}
