import { useSyncExternalStore } from "react";

const TICK_MS = 10_000;

let now = Date.now();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The current time in milliseconds, updated as often as relative times need it. */
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
