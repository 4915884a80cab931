import type { Db } from "mongodb";
import { Counter, type Registry } from "prom-client";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import type { Log } from "@nts/shared/log";
import type { Storage } from "../storage/storage.js";
import { createWebhookStates, type WebhookStates } from "../storage/webhook-states.js";
import { createWebhookOperations, type WebhookOperations } from "./operations.js";
import { createAddressGuard } from "./guard.js";
import { createSend, type Outcome } from "./send.js";
import { secretsOf } from "./signature.js";
import { startWorkers, type WorkerParts, type Workers } from "./workers.js";

/** Maximum concurrent database operations of deliveries per process, to leave connections for requests. */
const OPERATIONS = 3;
const MOST_WAITING = 10_000;

export interface WebhookOptions {
  /** CIDRs of private networks that are allowed as destinations. */
  readonly allow: readonly string[];
  /** Maximum webhooks per organization. */
  readonly most: number;
  readonly registry: Registry;
  readonly log: Log;
}

export interface Webhooks {
  readonly operations: WebhookOperations;
  /** Starts delivering. */
  start(parts: Pick<WorkerParts, "reader" | "backOff" | "onPaused"> & { readonly storage: Storage }): Workers;
}

export function createWebhooks(db: Db, { allow, most, registry, log }: WebhookOptions): Webhooks {
  const guard = createAddressGuard(allow);
  const send = createSend(guard);
  const states = createWebhookStates(db);
  const secretOf = secretsOf(db);
  const onOutcome = createCounting(registry);
  return {
    operations: createWebhookOperations({ states, guard, send, secretOf, most }),
    start: ({ storage: { webhooks, auditNotes, transaction }, ...parts }) =>
      startWorkers({
        ...parts,
        states: inTurn(states),
        webhooks,
        auditNotes,
        transaction,
        send,
        secretOf,
        onOutcome,
        log,
      }),
  };
}

/** Limits the concurrency of operations. */
function inTurn(states: WebhookStates): WebhookStates {
  const queue = createFairQueue({ atATime: OPERATIONS, mostWaiting: MOST_WAITING }).run;
  return {
    ...states,
    due: (most) => queue(() => states.due(most)),
    awake: (organizationId) => queue(() => states.awake(organizationId)),
    take: (of, lease) => queue(() => states.take(of, lease)),
    renew: (leased, ms, progress) => queue(() => states.renew(leased, ms, progress)),
    release: (leased, next, progress) => queue(() => states.release(leased, next, progress)),
    note: (of, delivery) => queue(() => states.note(of, delivery)),
  };
}

function createCounting(registry: Registry): (outcome: Outcome) => void {
  const deliveries = new Counter({
    name: "nts_webhook_deliveries_total",
    help: "Webhook messages sent by this process, by outcome.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  return ({ error }) => {
    deliveries.inc({ outcome: error ?? "delivered" });
  };
}
