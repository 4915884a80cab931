import type { Exchange } from "./exchange.js";

// Answers that clients do not take as fast as they come. Each may wait in memory up to a bound, all together too; beyond it
// its service is told to wait, which keeps a connection to that service busy. So clients that read too slowly are cut, and of
// those that keep services waiting the ones that have done so for longest.

/** Bytes that clients have not taken, of all answers together. */
const MOST_BYTES = 67_108_864;

/** Milliseconds without reading, beside what was read earns at 8 KiB a second. */
export const STALL_MS = 30_000;
export const BYTES_PER_MS = (8 * 1_024) / 1_000;

/** Services may be kept waiting by so many answers longer than a moment: of one caller, and of all. */
const MOST_PAUSED_OF_CALLER = 8;
const MOST_PAUSED = 64;
const MOMENT_MS = 1_000;

const CHECK_EVERY_MS = 500;

interface Entry {
  readonly since: number;
  /** Bytes that the connection had taken then. */
  readonly takenBefore: number;
  bytes: number;
  /** Since when its service has been kept waiting. */
  pausedSince: number | null;
}

export interface UnreadAnswers {
  /** Some of an answer waits to be read. */
  note(exchange: Exchange): void;
  /** Its service is kept waiting until the client has read. */
  pause(exchange: Exchange): void;
  /** All of it has been taken, or it is over. */
  forget(exchange: Exchange): void;
  /** No answer may wait in memory beyond what Node itself holds back. */
  isFull(): boolean;
}

/** @param onCut told of each answer that was cut because it was not read */
export function createUnreadAnswers(onCut: () => void): UnreadAnswers {
  const entries = new Map<Exchange, Entry>();
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  function entryOf(exchange: Exchange): Entry {
    const known = entries.get(exchange);
    if (known !== undefined) return known;
    const entry = { since: performance.now(), takenBefore: takenBy(exchange), bytes: 0, pausedSince: null };
    entries.set(exchange, entry);
    timer ??= setInterval(check, CHECK_EVERY_MS).unref();
    return entry;
  }

  function note(exchange: Exchange): Entry {
    const entry = entryOf(exchange);
    const { unreadBytes } = exchange;
    bytes += unreadBytes - entry.bytes;
    entry.bytes = unreadBytes;
    return entry;
  }

  function forget(exchange: Exchange): void {
    const entry = entries.get(exchange);
    if (entry === undefined) return;
    bytes -= entry.bytes;
    entries.delete(exchange);
    if (entries.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function cut(exchange: Exchange): void {
    forget(exchange);
    onCut();
    exchange.cut();
  }

  function check(): void {
    const now = performance.now();
    for (const [exchange, entry] of [...entries]) {
      note(exchange);
      const earnedMs = (takenBy(exchange) - entry.takenBefore) / BYTES_PER_MS;
      if (now - entry.since > STALL_MS + earnedMs) cut(exchange);
      else if (entry.bytes === 0 && entry.pausedSince === null) forget(exchange);
    }
    for (const exchange of surplusOf(entries, now)) cut(exchange);
  }

  return {
    note,
    pause: (exchange) => {
      note(exchange).pausedSince = performance.now();
    },
    forget,
    isFull: () => bytes > MOST_BYTES,
  };
}

function takenBy({ request: { socket } }: Exchange): number {
  return socket.bytesWritten - socket.writableLength;
}

/** Those that keep services waiting beyond what is allowed, whoever has done so longest first. */
function surplusOf(entries: ReadonlyMap<Exchange, Entry>, now: number): Exchange[] {
  const paused = [...entries]
    .filter(([, { pausedSince }]) => pausedSince !== null && now - pausedSince > MOMENT_MS)
    .sort(([, a], [, b]) => (b.pausedSince ?? 0) - (a.pausedSince ?? 0));
  const ofCaller = new Map<string, number>();
  return paused
    .filter(([exchange], index) => {
      const count = (ofCaller.get(exchange.caller) ?? 0) + 1;
      ofCaller.set(exchange.caller, count);
      return index >= MOST_PAUSED || count > MOST_PAUSED_OF_CALLER;
    })
    .map(([exchange]) => exchange);
}
