export interface TogetherOptions<Task, Result> {
  /** Runs of a lane at the same time. Meanwhile, further tasks of the lane wait for each other. */
  readonly atATime: number;
  /** Milliseconds after which a run no longer counts, so that nothing waits for a slow one; by default, all count. */
  readonly longMs?: number;
  /** Whether a task may run together with those that came before it. */
  readonly fits: (tasks: readonly Task[], next: Task) => boolean;
  /** @returns the outcome of each task, in their order; if it throws, all of them have failed */
  readonly run: (tasks: readonly Task[], lane: string) => Promise<readonly PromiseSettledResult<Result>[]>;
}

/** Runs a task of a lane; together with others that wait, if there are any. */
export type Together<Task, Result> = (lane: string, task: Task) => Promise<Result>;

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

/** Creates lanes, in which tasks that arrive during a run are run together afterwards. */
export function createTogether<Task, Result>(options: TogetherOptions<Task, Result>): Together<Task, Result> {
  const { atATime, longMs, fits, run } = options;
  const lanes = new Map<string, Lane<Task, Result>>();

  function schedule(name: string, lane: Lane<Task, Result>): void {
    if (lane.isScheduled || lane.running >= atATime) return;
    if (lane.waiting.length === 0) {
      if (lane.running === 0 && lanes.get(name) === lane) lanes.delete(name);
      return;
    }
    lane.isScheduled = true;
    // After everything that arrived in this tick has been handled.
    setImmediate(() => {
      lane.isScheduled = false;
      while (lane.waiting.length > 0 && lane.running < atATime) void runSome(name, lane, taken(lane.waiting, fits));
    });
  }

  async function runSome(
    name: string,
    lane: Lane<Task, Result>,
    some: readonly Waiting<Task, Result>[],
  ): Promise<void> {
    let isCounted = true;
    const end = (): void => {
      if (isCounted) lane.running -= 1;
      isCounted = false;
      schedule(name, lane);
    };
    lane.running += 1;
    const timer = longMs === undefined ? undefined : setTimeout(end, longMs);
    try {
      const outcomes = await run(
        some.map(({ task }) => task),
        name,
      );
      some.forEach(({ resolve, reject }, n) => {
        const outcome = outcomes[n];
        if (outcome?.status === "fulfilled") resolve(outcome.value);
        else reject(outcome?.reason);
      });
    } catch (error) {
      for (const { reject } of some) reject(error);
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  return (name, task) =>
    new Promise((resolve, reject) => {
      const lane = lanes.get(name) ?? { waiting: [], running: 0, isScheduled: false };
      lanes.set(name, lane);
      lane.waiting.push({ task, resolve, reject });
      schedule(name, lane);
    });
}

/** Removes the first waiting tasks, as many as fit together. */
function taken<Task, Result>(
  waiting: Waiting<Task, Result>[],
  fits: TogetherOptions<Task, Result>["fits"],
): Waiting<Task, Result>[] {
  const tasks: Task[] = [];
  for (const { task } of waiting) {
    if (tasks.length > 0 && !fits(tasks, task)) break;
    tasks.push(task);
  }
  return waiting.splice(0, tasks.length);
}
