import type { Webhook } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { BACKGROUND } from "@nts/shared/work";
import type { JournalDocument } from "../journal/entries.rules.js";
import type { JournalReader } from "../journal/read.js";
import { revised } from "../storage/revisions.rules.js";
import type { AuditNotes } from "../storage/audit-notes.js";
import type { WebhookStore } from "../storage/stores/webhooks.js";
import type { Progress, WebhookRef, WebhookState, WebhookStates } from "../storage/webhook-states.js";
import { notedOf } from "./audited.js";
import { longestBackoffMs, reasonToPause, restUntil } from "./failing.rules.js";
import { isSelected } from "./filter.rules.js";
import { messageOf } from "./messages.js";
import { DELIVERY_MS, type Outcome, type Send } from "./send.js";
import { type SecretOf, signatureHeaders } from "./signature.js";

// Delivers the journal in order: send the next message, then advance the cursor. If the process dies in between, the message is sent
// again (at least once).

/** Milliseconds after which another process takes over from one that died; a live one renews the lease. */
const LEASE_MS = 5_000;
const RENEW_MS = 1_500;
/** Milliseconds after which a turn yields to other webhooks. */
const TURN_MS = 5_000;
/** Polling interval of idle webhooks in milliseconds, since notices can be lost. */
const LOOK_MS = 15_000;
/** Maximum entries per read. */
const PAGE = 100;
/** Maximum entries and characters per message. */
const MOST_TOGETHER = 100;
const MOST_CHARACTERS = 1_048_576;

export interface TurnParts {
  readonly states: WebhookStates;
  readonly webhooks: WebhookStore;
  readonly auditNotes: AuditNotes;
  readonly transaction: RunTransaction;
  /** Does not use the database share of requests. */
  readonly reader: JournalReader;
  readonly send: Send;
  readonly secretOf: SecretOf;
  /** Called after every attempt. */
  readonly onOutcome: (outcome: Outcome) => void;
  /** Called after a webhook was paused, so that the audit note is picked up. */
  readonly onPaused: (organizationId: string) => void;
  /** Overrides the backoff in milliseconds. */
  readonly backOff?: (attempts: number) => number;
  readonly signal: AbortSignal;
}

/** Backoff with jitter, so that webhooks that failed together are not retried together. */
function backOffMs(attempts: number): number {
  return longestBackoffMs(attempts) * (0.5 + Math.random() / 2);
}

/** `more`: more to deliver; `none`: nothing to deliver now; `not-ours`: another process holds the lease. */
export type TurnEnd = "more" | "none" | "not-ours";
export type TakeTurn = (of: WebhookRef) => Promise<TurnEnd>;

/** The outcome of a step of a turn. */
type Step = "on" | "idle" | { readonly restMs: number; readonly progress?: Progress } | "lost";

export function createTurns(parts: TurnParts, owner: string): TakeTurn {
  const { states, signal } = parts;
  return async (of) => {
    let leased = await states.take(of, { owner, ms: LEASE_MS });
    if (leased === null) return "not-ours";
    const until = performance.now() + TURN_MS;
    const { epoch } = leased;
    const renewing = setInterval(() => void states.renew({ ...of, epoch }, LEASE_MS).catch(() => null), RENEW_MS);
    try {
      const turn = new Turn(parts, leased);
      let step: Step = "on";
      while (step === "on" && performance.now() < until && !signal.aborted) step = await turn.step();
      leased = turn.leased;
      if (step === "lost") return "not-ours";
      if (step === "on") await states.release(leased, { ms: 0, rests: false });
      else if (step === "idle") await states.release(leased, { ms: LOOK_MS, rests: false });
      else await states.release(leased, { ms: step.restMs, rests: true }, step.progress);
      return step === "on" ? "more" : "none";
    } finally {
      clearInterval(renewing);
    }
  };
}

class Turn {
  readonly #scope: Scope;
  #webhook: Webhook | null = null;
  /** Entries that were read but not processed yet. */
  #page: JournalDocument[] = [];

  constructor(
    private readonly parts: TurnParts,
    public leased: WebhookState,
  ) {
    this.#scope = { organizationId: leased.organization_id, networks: "all" };
  }

  /** Delivers the next message, if any. */
  async step(): Promise<Step> {
    const webhook = (this.#webhook ??= (await this.parts.webhooks.find(this.#scope, this.leased._id))?.entity ?? null);
    if (webhook === null) return "idle";
    const found = await this.#next(webhook);
    if (found === "end") return "idle";
    if (found === "on" || found === "lost") return found;
    const [first] = found;
    const restMs = restUntil(webhook, first, Date.now());
    // A retry does not wait for its batch again.
    if (restMs > 0 && this.leased.last === null) return { restMs };
    return this.#deliver(webhook, found);
  }

  /** The entries of the next message. */
  async #next(webhook: Webhook): Promise<[JournalDocument, ...JournalDocument[]] | "end" | "on" | "lost"> {
    if (this.#page.length === 0 && !(await this.#read())) return "end";
    const most = webhook.batch_seconds > 0 ? MOST_TOGETHER : 1;
    const together: JournalDocument[] = [];
    let characters = 0;
    let passed = this.leased.n;
    for (const entry of this.#page) {
      if (together.length === most || characters > MOST_CHARACTERS || isBeyond(entry, this.leased)) break;
      if (isSelected(webhook.filter, entry)) together.push(entry);
      if (together.length === 0) passed = entry.n;
      else characters += charactersOf(entry);
    }
    const [first, ...more] = together;
    if (first !== undefined) return [first, ...more];
    return (await this.#goOn(passed)) ? "on" : "lost";
  }

  /** @returns false at the end of the journal */
  async #read(): Promise<boolean> {
    const { reader } = this.parts;
    const { last, gone } = await reader.ends(this.#scope);
    const query = {
      filter: {},
      range: { first: Math.max(this.leased.n, gone) + 1, last },
      direction: "asc",
      limit: PAGE,
    } as const;
    let characters = 0;
    for await (const entries of reader.entries(this.#scope, query, { n: null, isEnd: false })) {
      this.#page.push(...entries);
      for (const entry of entries) characters += charactersOf(entry);
      if (characters > MOST_CHARACTERS) break;
    }
    return this.#page.length > 0;
  }

  async #deliver(webhook: Webhook, entries: readonly [JournalDocument, ...JournalDocument[]]): Promise<Step> {
    const { states, reader, send, secretOf, onOutcome, signal } = this.parts;
    const { leased } = this;
    const last = entries.at(-1) ?? entries[0];
    const manner = { webhookId: webhook.id, format: webhook.format, isBatch: webhook.batch_seconds > 0 };
    const cursors = await reader.cursors();
    const { id, body, headers: own } = messageOf(manner, entries, cursors);
    const headers = { ...own, ...signatureHeaders(await secretOf(leased.salt), { id, body }) };
    const outcome = await send({ url: webhook.url, body, headers, withinMs: DELIVERY_MS, signal });
    // The outcome is unknown, so the message is sent again.
    if (signal.aborted && outcome.error !== null) return { restMs: 0 };
    onOutcome(outcome);
    const { status, error, durationMs: duration_ms } = outcome;
    const isDelivered = error === null;
    const step = isDelivered
      ? (await this.#goOn(last.n))
        ? "on"
        : "lost"
      : await this.#fail(webhook, outcome, last.n);
    await states.note(leased, {
      ...{ id, kind: "changes", changes: entries.length, cursor: cursors.of(leased.organization_id, last.n) },
      ...{ attempt: leased.attempts + 1, outcome: isDelivered ? "delivered" : "failed", status, error, duration_ms },
    });
    return step;
  }

  /** Advances the cursor to an entry. @returns false if the lease was lost */
  async #goOn(n: number): Promise<boolean> {
    const progress = { n, last: null, attempts: 0, failing_since: null };
    const leased = await this.parts.states.renew(this.leased, LEASE_MS, progress);
    if (leased === null) return false;
    this.leased = leased;
    this.#page = this.#page.filter((entry) => entry.n > n);
    return true;
  }

  async #fail(webhook: Webhook, outcome: Outcome, last: number): Promise<Step> {
    const { backOff = backOffMs } = this.parts;
    const { leased } = this;
    const now = new Date();
    const failing_since = leased.failing_since ?? now;
    const attempts = leased.attempts + 1;
    const reason = reasonToPause(outcome, { failingSince: failing_since, now });
    if (reason === null) return { restMs: backOff(attempts), progress: { attempts, failing_since, last } };
    await this.#pause(webhook.id, { at: now.toISOString(), reason });
    return "lost";
  }

  async #pause(id: string, paused: { at: string; reason: string }): Promise<void> {
    const { states, webhooks, auditNotes, transaction, onPaused } = this.parts;
    await transaction(BACKGROUND, [id], async (tx) => {
      if (!(await states.pause(tx, this.leased))) return;
      const current = await webhooks.find(this.#scope, id, tx);
      if (current === null) return;
      const next = revised(current, { ...current.entity, is_enabled: false, paused }, new Date(paused.at));
      if (next === null) return;
      await webhooks.replace(tx, this.#scope, [next]);
      await auditNotes.add(tx, notedOf(next.entity, "paused", { before: current.entity, after: next.entity }), null);
    });
    onPaused(this.leased.organization_id);
  }
}

function charactersOf({ wire, old = "", was = "" }: JournalDocument): number {
  return wire.length + old.length + was.length;
}

/** True for entries after the message that is being retried, which must keep its content. */
function isBeyond({ n }: JournalDocument, { last }: WebhookState): boolean {
  return last !== null && n > last;
}
