import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createBoundedQueue } from "@nts/shared/bounded-queue";
import { waitAtMost } from "@nts/shared/lifecycle";
import type { Log } from "@nts/shared/log";
import { repeat } from "@nts/shared/repeat";
import { createShares } from "@nts/shared/shares";
import type { WebhookRef, WebhookStates } from "../storage/webhook-states.js";
import { createTurns, type TurnParts } from "./turn.js";

// Every process delivers: a notice that the journal has grown makes all of them look after the webhooks of the organization, and
// whoever takes one delivers. What failed, was left by a process that died, or has been told nothing of, is found when it is due.

/** Webhooks that one process delivers at a time: of all organizations, and of one. The others wait for their turn. */
export const WORKERS = 128;
export const WORKERS_OF_ORGANIZATION = 4;
const MOST_WAITING = 4_000;
/** Milliseconds between two looks for those that are due. */
const SWEEP_MS = 1_000;
/** More than wait at a time: those of whom many wait must not hide the others. */
const MOST_DUE = 10_000;
/** Milliseconds in which notices of an organization gather, and for which one without webhooks is not asked about again. */
const GATHER_MS = 50;
const NONE_MS = 1_000;
const MOST_KNOWN = 10_000;
const STOP_MS = 2_000;

export interface Workers {
  /** The journal of an organization has grown. */
  wake(organizationId: string): void;
  /** What is under way is given up; others go on with it. */
  stop(): Promise<void>;
}

export interface WorkerParts extends Omit<TurnParts, "signal"> {
  readonly log: Log;
}

export function startWorkers(parts: WorkerParts): Workers {
  const { states, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = createRunning({ ...parts, signal });
  const looking = createLooking(states, (of) => running.run(of), (error) => {
    if (!signal.aborted) log.warn({ err: error }, "webhooks could not be served; retrying");
  }); // prettier-ignore

  const sweep = async (): Promise<void> => {
    for (const of of await states.due(MOST_DUE)) {
      looking.hasSome(of.organization_id);
      running.run(of);
    }
  };
  const sweeping = repeat(sweep, {
    everyMs: SWEEP_MS,
    signal,
    onFault: (error) => {
      log.warn({ err: error }, "due webhooks could not be listed; retrying");
    },
  });
  return {
    wake: (organizationId) => {
      if (!signal.aborted) looking.look(organizationId);
    },
    stop: async () => {
      stopping.abort();
      await waitAtMost(STOP_MS, Promise.all([sweeping, running.ended()]));
    },
  };
}

/** Gives webhooks their turns, no more of an organization at a time than its share. */
function createRunning(parts: TurnParts & { readonly log: Log }) {
  const takeTurn = createTurns(parts, randomUUID());
  const shares = createShares({ operations: WORKERS_OF_ORGANIZATION, waiting: MOST_WAITING });
  const inTurn = createBoundedQueue({ atATime: WORKERS, mostWaiting: MOST_WAITING });
  /** Those that have a turn or wait for one, and whether they were asked for meanwhile. */
  const asked = new Map<string, boolean>();
  const ends = new Set<Promise<void>>();

  async function turns(of: WebhookRef): Promise<void> {
    try {
      for (let again = true; again && !parts.signal.aborted;) {
        asked.set(of._id, false);
        const end = await shares.use(of.organization_id, () => inTurn(() => takeTurn(of)));
        again = end === "more" || (end === "none" && asked.get(of._id) === true);
      }
    } catch (error) {
      // It is still due, and found again.
      if (!parts.signal.aborted) parts.log.warn({ err: error, webhook_id: of._id }, "a webhook was abandoned");
    } finally {
      asked.delete(of._id);
    }
  }

  return {
    run: (of: WebhookRef): void => {
      if (asked.has(of._id)) {
        asked.set(of._id, true);
        return;
      }
      asked.set(of._id, false);
      const end = turns(of).finally(() => ends.delete(end));
      ends.add(end);
    },
    ended: async (): Promise<void> => {
      await Promise.all(ends);
    },
  };
}

/** Looks after the webhooks of organizations whose journals grow. */
function createLooking(
  states: Pick<WebhookStates, "awake">,
  run: (of: WebhookRef) => void,
  onFault: (error: unknown) => void,
) {
  /** Organizations that are looked after at the moment, and those that are asked for. */
  const under = new Set<string>();
  const asked = new Set<string>();
  /** Until when organizations without webhooks are left alone. */
  const none = new Map<string, number>();

  async function look(organizationId: string): Promise<void> {
    const found = await states.awake(organizationId);
    for (const of of found) run(of);
    if (found.length === 0) {
      if (none.size >= MOST_KNOWN) none.clear();
      none.set(organizationId, performance.now() + NONE_MS);
    }
    await delay(GATHER_MS);
  }

  async function lookWhileAsked(organizationId: string): Promise<void> {
    try {
      while (asked.delete(organizationId)) await look(organizationId);
    } catch (error) {
      onFault(error);
    } finally {
      under.delete(organizationId);
    }
  }

  return {
    hasSome: (organizationId: string): void => {
      none.delete(organizationId);
    },
    look: (organizationId: string): void => {
      if ((none.get(organizationId) ?? 0) > performance.now()) return;
      asked.add(organizationId);
      if (under.has(organizationId)) return;
      under.add(organizationId);
      void lookWhileAsked(organizationId);
    },
  };
}
