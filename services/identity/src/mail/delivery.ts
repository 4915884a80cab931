import { waitAtMost } from "@nts/shared/lifecycle";
import type { Log } from "@nts/shared/log";
import { createPace, repeat } from "@nts/shared/repeat";
import type { Letter } from "./letter.rules.js";
import type { Outbox, OutgoingMail } from "../storage/outbox.js";
import { deferralMs, longestBackoffMs } from "./backoff.rules.js";
import { MailFault, type MailTransport } from "./transport.js";

/** Concurrently sent mails per process. */
const AT_A_TIME = 4;
/** Milliseconds between polls for due mails: retries, and those of dead processes. Seldom after a while without any. */
const LOOKS = { oftenMs: 1_000, seldomMs: 5_000, forMs: 30_000 };
const STOP_MS = 2_000;

/** A letter and its recipient. */
export interface Composed {
  readonly to: string;
  readonly letter: Letter;
}

/** Writes a mail; null if it is no longer relevant. */
export type Compose = (mail: OutgoingMail) => Promise<Composed | null>;

/**
 * Outcome of an attempt: `dropped` if no longer relevant, `expired` if too late; `deferred` by its recipient, `failed` by
 * the server, which are both retried.
 */
export type MailOutcome = "sent" | "dropped" | "refused" | "deferred" | "failed" | "expired";

export interface DeliveryParts {
  readonly outbox: Outbox;
  readonly compose: Compose;
  readonly transport: Pick<MailTransport, "send">;
  readonly onOutcome: (outcome: MailOutcome) => void;
  readonly log: Log;
}

/** Sends the outbox until stopped. */
export interface Delivery {
  /** A mail was just queued. */
  wake(): void;
  /** Aborts sending; other processes take over. */
  stop(): Promise<void>;
}

export function startDelivery(parts: DeliveryParts): Delivery {
  const { outbox, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Set<Promise<void>>();
  const pace = createPace(LOOKS);
  // While the server accepts nothing, mails are not tried one by one.
  const server = { failures: 0, restsUntil: 0 };
  const isResting = (): boolean => signal.aborted || performance.now() < server.restsUntil;

  async function drain(): Promise<void> {
    while (!isResting()) {
      const mail = await outbox.take(new Date());
      if (mail === null) return;
      pace.busy();
      const outcome = await deliver(mail, { ...parts, signal });
      if (outcome !== null) parts.onOutcome(outcome);
      if (outcome === "failed") server.restsUntil = performance.now() + longestBackoffMs(++server.failures);
      if (outcome === "sent") {
        server.failures = 0;
        begin();
      }
    }
  }

  function begin(): void {
    if (running.size >= AT_A_TIME || isResting()) return;
    const ending = drain()
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, "due mails could not be listed; retrying");
      })
      .finally(() => running.delete(ending));
    running.add(ending);
  }

  const look = (): Promise<void> => {
    begin();
    return Promise.resolve();
  };
  const looking = repeat(look, { everyMs: pace.everyMs, signal, onFault: () => undefined });
  return {
    wake: begin,
    stop: async () => {
      stopping.abort();
      await waitAtMost(STOP_MS, Promise.all([looking, ...running]));
    },
  };
}

/** @returns null if aborted */
async function deliver(
  mail: OutgoingMail,
  { outbox, compose, transport, log, signal }: DeliveryParts & { readonly signal: AbortSignal },
): Promise<MailOutcome | null> {
  const { _id: id, kind, attempts } = mail;
  if (mail.expires_at <= new Date()) return given("expired");
  const composed = await compose(mail);
  if (composed === null) return given("dropped");
  try {
    await transport.send({ id, ...composed }, signal);
    return await given("sent");
  } catch (error) {
    if (signal.aborted) return null;
    if (!(error instanceof MailFault)) throw error;
    const fields = { mail_id: id, kind, attempts, reason: error.message };
    if (error.of === "recipient") {
      log.warn(fields, "a mail was dropped: the server rejects its recipient");
      return given("refused");
    }
    const isServer = error.of === "server";
    log.warn(fields, isServer ? "a mail could not be sent; retrying" : "the server defers a recipient; retrying");
    await outbox.defer(mail, new Date(Date.now() + (isServer ? longestBackoffMs(attempts) : deferralMs(attempts))));
    return isServer ? "failed" : "deferred";
  }

  async function given(outcome: MailOutcome): Promise<MailOutcome> {
    await outbox.remove(mail);
    return outcome;
  }
}
