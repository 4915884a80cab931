import { useSyncExternalStore } from "react";

const TICK_MS = 10_000;

let now = Date.now();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time in milliseconds since the epoch, as exactly as words like "3 minutes ago" need it; it goes on by itself. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  now = Date.now();
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const watcher of watchers) watcher();
}
