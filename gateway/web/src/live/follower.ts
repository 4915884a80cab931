import { ApiError } from "@nts/shared/client";
import { type Change, listChanges } from "@nts/shared/contract";
import { api } from "../api/client.js";
import { isSignedOut } from "../api/failure.js";
import { follow } from "./follow.js";
import { pause } from "./pause.js";

/** Changes kept for late subscribers. */
const MOST = 1_000;
/** Milliseconds in the past from which to follow, so that nothing is missed between reading and following. */
export const HEAD_START_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Called with changes; null if some may have been missed, so that everything has to be refetched. */
export type Watcher = (changes: readonly Change[] | null) => void;

/** Follows changes on behalf of the whole tab. */
export interface Follower {
  /** Recent changes, oldest first. */
  readonly recent: () => readonly Change[];
  /** @returns a function to unsubscribe */
  readonly watch: (watcher: Watcher) => () => void;
  /** Follows while the tab is visible, resuming from the last cursor. @returns a function to stop */
  readonly start: (onSignedOut: () => void) => () => void;
}

export function createFollower(): Follower {
  const watchers = new Set<Watcher>();
  let recent: readonly Change[] = [];
  let cursor: string | null = null;

  function notify(changes: readonly Change[] | null): void {
    const isMissed = changes === null || recent.length + changes.length > MOST;
    recent = isMissed ? [] : [...recent, ...changes];
    for (const watcher of watchers) watcher(isMissed ? null : changes);
  }

  async function followOn(signal: AbortSignal, onGood: () => void): Promise<void> {
    cursor ??= await aWhileAgo(signal);
    for await (const { changes, cursor: reached } of follow(cursor, signal)) {
      cursor = reached;
      onGood();
      if (changes?.length !== 0) notify(changes);
    }
  }

  async function run(signal: AbortSignal, onSignedOut: () => void): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      await untilVisible(signal);
      const visible = whileVisible(signal);
      try {
        await followOn(visible, () => (failures = 0));
      } catch (error) {
        if (visible.aborted) continue;
        if (isSignedOut(error)) {
          onSignedOut();
          return;
        }
        if (isCursorVoid(error)) {
          cursor = null;
          notify(null);
        }
        failures += 1;
        await pause(retryMs(error, failures), signal);
      }
    }
  }

  return {
    recent: () => recent,
    watch: (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    start: (onSignedOut) => {
      const stopping = new AbortController();
      void run(stopping.signal, onSignedOut);
      return () => stopping.abort();
    },
  };
}

/** A cursor slightly in the past. */
async function aWhileAgo(signal: AbortSignal): Promise<string> {
  const until = new Date(Date.now() - HEAD_START_MS).toISOString();
  const query = { order_direction: "desc", limit: 1, until } as const;
  const { data, oldest = "" } = await api.changes(listChanges, { query, signal });
  return data[0]?.cursor ?? oldest;
}

/** The cursor has expired, or belongs to another database. */
function isCursorVoid(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "changes_gone" || error.code === "cursor_invalid");
}

function retryMs(error: unknown, failures: number): number {
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(asked, Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)));
}

const isVisible = (): boolean => document.visibilityState === "visible";

/** Hidden tabs close their stream, because connections and streams per user are limited. */
async function untilVisible(signal: AbortSignal): Promise<void> {
  if (isVisible() || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const leaving = new AbortController();
    const look = (): void => {
      if (!isVisible() && !signal.aborted) return;
      leaving.abort();
      resolve();
    };
    document.addEventListener("visibilitychange", look, { signal: leaving.signal });
    signal.addEventListener("abort", look, { signal: leaving.signal });
  });
}

function whileVisible(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  const look = (): void => {
    if (!isVisible()) hidden.abort();
  };
  const either = AbortSignal.any([signal, hidden.signal]);
  document.addEventListener("visibilitychange", look, { signal: either });
  return either;
}
