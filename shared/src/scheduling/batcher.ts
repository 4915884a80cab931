export interface BatcherOptions<Task, Result> {
  /** Batches of a key that run at the same time; meanwhile, further tasks wait for each other. By default any number. */
  readonly atATime?: number;
  /** Milliseconds after which a batch no longer counts, so that nothing waits for a slow one; by default, all count. */
  readonly longMs?: number;
  /** Whether a task may be in a batch with those that came before it; by default, all may. */
  readonly fits?: (tasks: readonly Task[], next: Task) => boolean;
  /** @returns the outcome of each task, in their order; if it throws, all of them have failed */
  readonly run: (tasks: readonly Task[], key: string) => Promise<readonly PromiseSettledResult<Result>[]>;
}

/** Runs a task in a batch with others of its key that arrive in the same tick or wait already. */
export type Batcher<Task, Result> = (key: string, task: Task) => Promise<Result>;

interface Waiting<Task, Result> {
  readonly task: Task;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface Lane<Task, Result> {
  readonly waiting: Waiting<Task, Result>[];
  running: number;
  isScheduled: boolean;
}

export function createBatcher<Task, Result>(options: BatcherOptions<Task, Result>): Batcher<Task, Result> {
  const { atATime = Infinity, longMs, fits = () => true, run } = options;
  const lanes = new Map<string, Lane<Task, Result>>();

  function schedule(key: string, lane: Lane<Task, Result>): void {
    if (lane.isScheduled || lane.running >= atATime) return;
    if (lane.waiting.length === 0) {
      if (lane.running === 0 && lanes.get(key) === lane) lanes.delete(key);
      return;
    }
    lane.isScheduled = true;
    // After everything that arrived in this tick has been handled.
    setImmediate(() => {
      lane.isScheduled = false;
      while (lane.waiting.length > 0 && lane.running < atATime) void runBatch(key, lane, taken(lane.waiting, fits));
    });
  }

  async function runBatch(
    key: string,
    lane: Lane<Task, Result>,
    batch: readonly Waiting<Task, Result>[],
  ): Promise<void> {
    let isCounted = true;
    const end = (): void => {
      if (isCounted) lane.running -= 1;
      isCounted = false;
      schedule(key, lane);
    };
    lane.running += 1;
    const timer = longMs === undefined ? undefined : setTimeout(end, longMs);
    try {
      const outcomes = await run(
        batch.map(({ task }) => task),
        key,
      );
      batch.forEach(({ resolve, reject }, n) => {
        const outcome = outcomes[n];
        if (outcome?.status === "fulfilled") resolve(outcome.value);
        else reject(outcome?.reason);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  return (key, task) =>
    new Promise((resolve, reject) => {
      const lane = lanes.get(key) ?? { waiting: [], running: 0, isScheduled: false };
      lanes.set(key, lane);
      lane.waiting.push({ task, resolve, reject });
      schedule(key, lane);
    });
}

/** All who call while one call is running share the next, so results are never older than the call. */
export function sharingNext<T>(call: () => Promise<T>): () => Promise<T> {
  const share = createBatcher<null, T>({
    atATime: 1,
    run: async (callers) => {
      const value = await call();
      return callers.map(() => fulfilled(value));
    },
  });
  return () => share("", null);
}

export function fulfilled<T>(value: T): PromiseFulfilledResult<T> {
  return { status: "fulfilled", value };
}

/** Removes the first waiting tasks, as many as fit together. */
function taken<Task, Result>(
  waiting: Waiting<Task, Result>[],
  fits: (tasks: readonly Task[], next: Task) => boolean,
): Waiting<Task, Result>[] {
  const tasks: Task[] = [];
  for (const { task } of waiting) {
    if (tasks.length > 0 && !fits(tasks, task)) break;
    tasks.push(task);
  }
  return waiting.splice(0, tasks.length);
}
