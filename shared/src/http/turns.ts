import { putUnder } from "../groups.js";

/** Milliseconds in which tasks only arrive, and then in which they are carried out as well, while more arrive. */
export const PHASE_MS = 50;
/** Maximum tasks per turn of the event loop. */
export const MOST_IN_A_TURN = 16;

/** Carries out tasks once no more arrive: one of each client per turn of the event loop. */
export interface Turns {
  /** Another task, after which more are expected. */
  arrive(client: unknown, task: () => void): void;
  /** A task that begins at once unless others arrive, or an earlier one of the client waits. */
  begin(client: unknown, task: () => void): void;
}

export function createTurns(
  schedule: (turn: () => void) => unknown = setImmediate,
  now: () => number = () => performance.now(),
): Turns {
  /** By client, in the order of their turns. */
  const waiting = new Map<unknown, (() => void)[]>();
  let hasArrival = false;
  let arrivalsUntil = 0;

  function turn(): void {
    const time = now();
    try {
      if (!hasArrival || time >= arrivalsUntil) carryOut();
    } finally {
      if (time >= arrivalsUntil + PHASE_MS) arrivalsUntil = time + PHASE_MS;
      hasArrival = false;
      if (waiting.size > 0) schedule(turn);
    }
  }

  function carryOut(): void {
    let left = Math.min(waiting.size, MOST_IN_A_TURN);
    for (const [client, tasks] of waiting) {
      if (left-- === 0) return;
      const task = tasks.shift();
      // The client goes behind all others.
      waiting.delete(client);
      if (tasks.length > 0) waiting.set(client, tasks);
      task?.();
    }
  }

  return {
    arrive: (client, task) => {
      if (waiting.size === 0) {
        arrivalsUntil = now() + PHASE_MS;
        schedule(turn);
      }
      hasArrival = true;
      putUnder(waiting, client, task);
    },
    begin: (client, task) => {
      if (waiting.has(client) || (waiting.size > 0 && now() < arrivalsUntil)) putUnder(waiting, client, task);
      else task();
    },
  };
}
