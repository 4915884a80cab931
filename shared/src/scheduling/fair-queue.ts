import { AppError } from "../errors.js";
import { restMs } from "../repeat.js";

// Tasks wait for a free place. Whoever they belong to is named by a key; keys take turns, and the tasks of a key start in
// the order of their arrival.

/** Why a task is refused. */
export interface Refusal {
  /** Too many tasks of its key wait, or of all keys, or it has waited for too long. */
  readonly reason: "own" | "all" | "late";
  /** Tasks of its key that run. */
  readonly running: number;
  /** A task of its key has ended while it waited. */
  readonly hasEnded: boolean;
}

export interface FairQueueOptions {
  /** Maximum tasks that run at the same time; by default any number. */
  readonly atATime?: number;
  /** The same for a key. @param running tasks of all keys that run */
  readonly ofKey?: number | ((running: number) => number);
  /** Maximum waiting tasks; by default any number. */
  readonly mostWaiting?: number;
  /** The same for a key; by default as many as there is room left for others. */
  readonly mostWaitingOfKey?: number;
  /** Milliseconds after which a waiting task is refused; by default never. */
  readonly longestWaitMs?: number;
  /** Fraction of time in which a place is used: it rests after a task, for `longestRestMs` at most. */
  readonly duty?: number;
  readonly longestRestMs?: number | (() => number);
  /** The error of a refused task; by default `unavailable`. */
  readonly refusal?: (refusal: Refusal) => AppError;
}

/** Refusals that tell callers to slow down, unless none of their tasks ends, because what they use hangs. */
export function ownTasksLimited(retrySeconds: number): (refusal: Refusal) => AppError {
  return ({ reason, hasEnded }) =>
    reason === "own" || (reason === "late" && hasEnded)
      ? new AppError("rate_limited", { retry_after_seconds: retrySeconds })
      : new AppError("unavailable");
}

export interface FairQueue {
  /**
   * Runs a task when it is its turn.
   *
   * @param key absent if all tasks count as of one, which may take all the room to wait
   * @throws AppError the refusal
   */
  run<T>(task: () => Promise<T>, key?: string): Promise<T>;
  /** Runs a task with a place of each key. @param keys in an order common to all callers, to avoid deadlocks */
  runWithAll<T>(keys: readonly string[], task: () => Promise<T>): Promise<T>;
  /**
   * Waits for a place.
   *
   * @param waitMs instead of `longestWaitMs`
   * @returns frees it; further calls have no effect
   * @throws AppError the refusal
   */
  enter(key?: string, waitMs?: number): Promise<() => void>;
  /** Resolves when nothing runs, or after the given milliseconds at the latest. */
  idle(mostMs: number): Promise<void>;
  running(): number;
  waiting(): number;
}

interface Key {
  readonly name: string;
  running: number;
  /** Tasks that have ended. */
  ended: number;
  /** Starts a waiting task. */
  readonly waiting: Set<() => void>;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { atATime = Infinity, ofKey = Infinity, mostWaiting = Infinity, longestWaitMs, duty, longestRestMs } = options;
  const refusal = options.refusal ?? (() => new AppError("unavailable"));
  /** With running or waiting tasks. */
  const keys = new Map<string, Key>();
  /** With waiting tasks, in the order of their turns. */
  const line = new Set<Key>();
  const idlers = new Set<() => void>();
  let running = 0;
  let waiting = 0;

  function keyOf(name: string): Key {
    const known = keys.get(name);
    if (known !== undefined) return known;
    const key: Key = { name, running: 0, ended: 0, waiting: new Set() };
    keys.set(name, key);
    return key;
  }

  function forgetUnused({ name, running: own, waiting: its }: Key): void {
    if (own === 0 && its.size === 0) keys.delete(name);
  }

  function mayStart(key: Key): boolean {
    return running < atATime && key.running < (typeof ofKey === "number" ? ofKey : ofKey(running));
  }

  function begin(key: Key): void {
    running++;
    key.running++;
  }

  function end(key: Key): void {
    running--;
    key.running--;
    key.ended++;
    startNext(key);
    forgetUnused(key);
    if (running === 0) for (const go of idlers) go();
  }

  function startNext(ended: Key): void {
    // If only keys are limited, the place is of no use to others.
    for (const key of atATime === Infinity ? [ended] : line) {
      const [start] = key.waiting;
      if (start === undefined || !mayStart(key)) continue;
      leave(key, start);
      // Behind all others.
      if (line.delete(key)) line.add(key);
      start();
      return;
    }
  }

  function leave(key: Key, start: () => void): void {
    if (!key.waiting.delete(start)) return;
    waiting--;
    if (key.waiting.size === 0) line.delete(key);
  }

  /** Starts a task. @returns a promise of its turn if it has to wait */
  function admit(key: Key, isNamed: boolean, waitMs = longestWaitMs): Promise<void> | null {
    if (key.waiting.size === 0 && mayStart(key)) {
      begin(key);
      return null;
    }
    const own = key.waiting.size;
    const most = options.mostWaitingOfKey ?? (isNamed ? mostWaiting - waiting : Infinity);
    if (own < most && waiting < mostWaiting) return turn(key, waitMs);
    forgetUnused(key);
    throw refusal({ reason: own < most ? "all" : "own", running: key.running, hasEnded: false });
  }

  function turn(key: Key, waitMs: number | undefined): Promise<void> {
    const { ended } = key;
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        begin(key);
        resolve();
      };
      const giveUp = (): void => {
        leave(key, start);
        reject(refusal({ reason: "late", running: key.running, hasEnded: key.ended !== ended }));
        forgetUnused(key);
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      key.waiting.add(start);
      line.add(key);
      waiting++;
    });
  }

  /** Ends a task now, or after its place has rested. */
  function free(key: Key, startedAt: number): void {
    const longest = typeof longestRestMs === "function" ? longestRestMs() : (longestRestMs ?? Infinity);
    const rest = duty === undefined ? 0 : Math.min(restMs(startedAt, duty), longest);
    if (rest <= 0) end(key);
    else
      setTimeout(() => {
        end(key);
      }, rest).unref();
  }

  const startOf = (): number => (duty === undefined ? 0 : performance.now());

  async function run<T>(task: () => Promise<T>, name?: string): Promise<T> {
    const key = keyOf(name ?? "");
    const itsTurn = admit(key, name !== undefined);
    if (itsTurn !== null) await itsTurn;
    const startedAt = startOf();
    try {
      return await task();
    } finally {
      free(key, startedAt);
    }
  }

  return {
    run,
    runWithAll: (names, task) => names.reduceRight((inner, name) => () => run(inner, name), task)(),
    enter: async (name, waitMs) => {
      const key = keyOf(name ?? "");
      await admit(key, name !== undefined, waitMs);
      const startedAt = startOf();
      let isFree = false;
      return () => {
        if (!isFree) free(key, startedAt);
        isFree = true;
      };
    },
    idle: async (mostMs) => {
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          clearTimeout(timer);
          idlers.delete(go);
          resolve();
        };
        const timer = setTimeout(go, mostMs);
        idlers.add(go);
      });
    },
    running: () => running,
    waiting: () => waiting,
  };
}
