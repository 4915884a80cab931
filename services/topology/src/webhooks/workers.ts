import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { addressBlockOf, siteOf } from "@nts/shared/address-block";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { waitAtMost } from "@nts/shared/lifecycle";
import type { Log } from "@nts/shared/log";
import { createPace, repeat } from "@nts/shared/repeat";
import { createShares } from "@nts/shared/scheduling/shares";
import type { DueWebhook, WebhookStates } from "../storage/webhook-states.js";
import { createTurns, type TurnParts } from "./turn.js";

// Every process delivers: on a notice that the journal has grown, all of them check the organization's webhooks, and the one that gets
// the lease delivers. Retries, abandoned leases and lost notices are covered by polling for due webhooks.

/**
 * Maximum webhooks delivered concurrently by a process: in total, per organization, and per address and site of the clients that made
 * them, since accounts are free and a receiver that never responds takes a place for 10 s.
 */
export const WORKERS = 128;
export const WORKERS_OF_ORGANIZATION = 4;
export const WORKERS_OF_ADDRESS = 16;
export const WORKERS_OF_SITE = 32;
const MOST_WAITING = 4_000;
/** Milliseconds between polls for due webhooks. Seldom after a while without any. */
const SWEEPS = { oftenMs: 1_000, seldomMs: 5_000, forMs: 30_000 };
/** Larger than the queue, so that an organization with many due webhooks does not hide others. */
const MOST_DUE = 10_000;
/** Milliseconds for which notices of an organization are coalesced, and for which the absence of webhooks is cached. */
const GATHER_MS = 50;
const NONE_MS = 1_000;
const MOST_KNOWN = 10_000;
const STOP_MS = 2_000;

export interface Workers {
  /** The journal of an organization has grown. */
  wake(organizationId: string): void;
  /** Aborts deliveries in progress; other processes continue them. */
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
  const pace = createPace(SWEEPS);
  const run = (of: DueWebhook): void => {
    pace.busy();
    running.run(of);
  };
  const looking = createLooking(states, run, (error) => {
    if (!signal.aborted) log.warn({ err: error }, "webhooks could not be served; retrying");
  });

  const sweep = async (): Promise<void> => {
    for (const of of await states.due(MOST_DUE)) {
      looking.hasSome(of.organization_id);
      run(of);
    }
  };
  const sweeping = repeat(sweep, {
    everyMs: pace.everyMs,
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

/** Runs a task within the shares of the organization, the address and the site of a webhook. */
function createMakerShares(): <T>(of: DueWebhook, task: () => Promise<T>) => Promise<T> {
  const sharesOf = (operations: number) => createShares({ operations, waiting: MOST_WAITING });
  const organizations = sharesOf(WORKERS_OF_ORGANIZATION);
  const addresses = sharesOf(WORKERS_OF_ADDRESS);
  const sites = sharesOf(WORKERS_OF_SITE);
  return ({ organization_id, maker_address: address }, task) => {
    if (address === undefined) return organizations.use(organization_id, task);
    const atSite = () => sites.use(siteOf(address), task);
    // Waiting takes a place of the narrower share only, so that it affects nobody else.
    return organizations.use(organization_id, () => addresses.use(addressBlockOf(address), atSite));
  };
}

/** Schedules turns of webhooks. */
function createRunning(parts: TurnParts & { readonly log: Log }) {
  const takeTurn = createTurns(parts, randomUUID());
  const inShares = createMakerShares();
  const inTurn = createFairQueue({ atATime: WORKERS, mostWaiting: MOST_WAITING }).run;
  /** Scheduled webhooks, and whether they were requested again meanwhile. */
  const pending = new Map<string, boolean>();
  const ends = new Set<Promise<void>>();

  async function turns(of: DueWebhook): Promise<void> {
    try {
      for (let again = true; again && !parts.signal.aborted;) {
        pending.set(of._id, false);
        const end = await inShares(of, () => inTurn(() => takeTurn(of)));
        again = end === "more" || (end === "none" && pending.get(of._id) === true);
      }
    } catch (error) {
      // It is still due, so polling finds it again.
      if (!parts.signal.aborted) parts.log.warn({ err: error, webhook_id: of._id }, "a webhook was abandoned");
    } finally {
      pending.delete(of._id);
    }
  }

  return {
    run: (of: DueWebhook): void => {
      if (pending.has(of._id)) {
        pending.set(of._id, true);
        return;
      }
      pending.set(of._id, false);
      const end = turns(of).finally(() => ends.delete(end));
      ends.add(end);
    },
    ended: async (): Promise<void> => {
      await Promise.all(ends);
    },
  };
}

/** Looks up the webhooks of organizations whose journals have grown. */
function createLooking(
  states: Pick<WebhookStates, "awake">,
  run: (of: DueWebhook) => void,
  onFault: (error: unknown) => void,
) {
  /** Organizations with a lookup in progress, and those with pending requests. */
  const under = new Set<string>();
  const pending = new Set<string>();
  /** Until when organizations are known to have no webhooks. */
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
      while (pending.delete(organizationId)) await look(organizationId);
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
      pending.add(organizationId);
      if (under.has(organizationId)) return;
      under.add(organizationId);
      void lookWhileAsked(organizationId);
    },
  };
}
