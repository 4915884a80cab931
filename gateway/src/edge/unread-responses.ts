import type { IncomingMessage } from "node:http";

// Responses that clients read too slowly. Memory per response and in total is bounded; beyond it, backpressure pauses
// the upstream, which occupies its connection. So slow clients are disconnected, the longest-blocking ones first.

/** Maximum unread bytes of all responses. */
const MOST_BYTES = 67_108_864;

/** Milliseconds without reading, plus what reading at 8 KiB/s earned. */
export const STALL_MS = 30_000;
export const BYTES_PER_MS = (8 * 1_024) / 1_000;

/** Maximum responses that pause their upstream for longer than {@link MOMENT_MS}: per caller, and in total. */
const MOST_PAUSED_OF_CALLER = 8;
const MOST_PAUSED = 64;
const MOMENT_MS = 1_000;

const CHECK_EVERY_MS = 500;

interface Entry {
  readonly since: number;
  /** Bytes that the connection had accepted by then. */
  readonly takenBefore: number;
  bytes: number;
  /** When its upstream was paused. */
  pausedSince: number | null;
}

/** An exchange whose response may be read slowly. */
export interface UnreadResponse {
  readonly request: Pick<IncomingMessage, "socket">;
  /** A user, or an address block. */
  readonly caller: string;
  /** Bytes of the response that the client has not read. */
  readonly unreadBytes: number;
  /** Aborts the response and its connection. */
  cut(): void;
}

export interface UnreadResponses {
  /** Part of a response is unread. */
  note(exchange: UnreadResponse): void;
  /** Its upstream is paused until the client has read. */
  pause(exchange: UnreadResponse): void;
  /** Everything was read, or the exchange has ended. */
  forget(exchange: UnreadResponse): void;
  /** Limits unread responses to what Node itself buffers. */
  isFull(): boolean;
}

/** @param onCut called for each aborted response */
export function createUnreadResponses(onCut: () => void): UnreadResponses {
  const entries = new Map<UnreadResponse, Entry>();
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;

  function entryOf(exchange: UnreadResponse): Entry {
    const known = entries.get(exchange);
    if (known !== undefined) return known;
    const entry = { since: performance.now(), takenBefore: takenBy(exchange), bytes: 0, pausedSince: null };
    entries.set(exchange, entry);
    timer ??= setInterval(check, CHECK_EVERY_MS).unref();
    return entry;
  }

  function note(exchange: UnreadResponse): Entry {
    const entry = entryOf(exchange);
    const { unreadBytes } = exchange;
    bytes += unreadBytes - entry.bytes;
    entry.bytes = unreadBytes;
    return entry;
  }

  function forget(exchange: UnreadResponse): void {
    const entry = entries.get(exchange);
    if (entry === undefined) return;
    bytes -= entry.bytes;
    entries.delete(exchange);
    if (entries.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function cut(exchange: UnreadResponse): void {
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

function takenBy({ request: { socket } }: UnreadResponse): number {
  return socket.bytesWritten - socket.writableLength;
}

/** Responses over the maximum that pause their upstream, longest first. */
function surplusOf(entries: ReadonlyMap<UnreadResponse, Entry>, now: number): UnreadResponse[] {
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
