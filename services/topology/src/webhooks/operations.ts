import type { Webhook, WebhookDelivery } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { createFairQueue, ownTasksLimited } from "@nts/shared/scheduling/fair-queue";
import type { WebhookStates } from "../storage/webhook-states.js";
import type { AddressGuard } from "./guard.js";
import { testMessage } from "./messages.js";
import { type Send } from "./send.js";
import { newSalt, type SecretOf, signatureHeaders } from "./signature.js";

/** Maximum concurrent test messages per process: in total, and per organization. */
const TESTS = 16;
const TESTS_OF_ORGANIZATION = 2;
const MOST_WAITING = 64;
const LONGEST_WAIT_MS = 2_000;
/** Timeout of a test message; below that of the request. */
const TEST_MS = 5_000;

/** Operations on webhooks for request handlers, beyond storage. */
export interface WebhookOperations {
  readonly states: WebhookStates;
  /** Maximum webhooks per organization. */
  readonly most: number;
  /** Why a URL is rejected, or null. */
  faultOf(url: string): string | null;
  /** The input from which a new secret is derived. */
  newSalt(): string;
  readonly secretOf: SecretOf;
  /** Sends a test message and records the delivery. @throws AppError `unavailable` if the process stops meanwhile */
  test(webhook: Webhook): Promise<WebhookDelivery>;
  /** Aborts test messages. */
  stop(): void;
}

interface Dependencies {
  readonly states: WebhookStates;
  readonly guard: AddressGuard;
  readonly send: Send;
  readonly secretOf: SecretOf;
  readonly most: number;
}

export function createWebhookOperations({ states, guard, send, secretOf, most }: Dependencies): WebhookOperations {
  const queue = createFairQueue({
    ...{ atATime: TESTS, ofKey: TESTS_OF_ORGANIZATION },
    ...{ mostWaiting: MOST_WAITING, mostWaitingOfKey: 8, longestWaitMs: LONGEST_WAIT_MS },
    refusal: ownTasksLimited(1),
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  return {
    states,
    most,
    faultOf: (url) => guard.faultOf(new URL(url)),
    newSalt,
    secretOf,
    test: async ({ id: webhookId, organization_id, format, url }) => {
      const of = { _id: webhookId, organization_id };
      const state = await states.find(of);
      const { id, body, headers: own } = testMessage({ webhookId, format });
      const secret = await secretOf(state?.salt ?? newSalt());
      const headers = { ...own, ...signatureHeaders(secret, { id, body }) };
      const sent = (): ReturnType<Send> => send({ url, body, headers, withinMs: TEST_MS, signal });
      const { status, error, durationMs: duration_ms } = await queue.run(sent, organization_id);
      // Not the fault of the receiver.
      if (signal.aborted && error !== null) throw new AppError("unavailable");
      const outcome = error === null ? ("delivered" as const) : ("failed" as const);
      const delivery = {
        id,
        kind: "test" as const,
        changes: 0,
        cursor: null,
        attempt: 1,
        outcome,
        status,
        error,
        duration_ms,
      };
      await states.note(of, delivery);
      return { ...delivery, at: new Date().toISOString() };
    },
    stop: () => {
      stopping.abort();
    },
  };
}
