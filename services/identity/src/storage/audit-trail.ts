import type { ClientSession, Collection, Db } from "mongodb";
import type { Actor } from "@nts/shared/contract/changes";
import { putUnder } from "@nts/shared/groups";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { placeOf } from "@nts/shared/numbered";
import type { Work } from "@nts/shared/work";
import { actorOf } from "@nts/shared/author";
import type { AuditDocument, AuditEvent, Circumstances } from "../model/audit-entry.rules.js";

// Audit entries are written in the transaction of the change. A counter document per organization numbers them, so
// numbers are gapless and follow commit order. Stores refuse to write without a trail.

export const AUDIT = "audit";
export const AUDIT_HEADS = "audit_heads";

/** Kinds of entries that are limited per organization and hour. */
export type LimitedAction = "login_failed" | "second_factor_failed" | "first_used";

/** Entries of an organization in an hour. */
export interface HourlyCount {
  readonly hour: number;
  readonly count: number;
}

/** The counter of an organization's entries. */
export interface HeadDocument {
  /** Of the organization. */
  _id: string;
  n: number;
  at: Date;
  /** Of the rate-limited entries. */
  hourly?: Readonly<Partial<Record<LimitedAction, HourlyCount>>>;
}

/** Records what a transaction does. */
export interface Trail {
  /** Sets the actor of a request without a signed-in user. */
  actAs(actor: Actor): void;
  note(event: AuditEvent): void;
  circumstances(): Circumstances;
}

const trails = new WeakMap<ClientSession, Trail>();

/** The trail of a transaction. @throws Error if it has none */
export function trailOf(tx: ClientSession): Trail {
  const trail = trails.get(tx);
  if (trail === undefined) throw new Error("what this transaction does would not be written down");
  return trail;
}

/** Audited transactions. */
export function createAudited(transaction: RunTransaction, db: Db): RunTransaction {
  const entries = db.collection<AuditDocument>(AUDIT);
  const heads = db.collection<HeadDocument>(AUDIT_HEADS);
  return (work, written, body) =>
    transaction(work, written, async (tx, attempt) => {
      const noted: AuditEvent[] = [];
      let actor: Actor | null = actorOf(work.author);
      trails.set(tx, {
        actAs: (who) => {
          actor = who;
        },
        note: (event) => {
          noted.push({ actor, ...event });
        },
        circumstances: () => ({ ...circumstancesOf(work), actor }),
      });
      const result = await body(tx, attempt);
      const byOrganization = new Map<string, AuditEvent[]>();
      for (const event of noted) putUnder(byOrganization, event.organization_id, event);
      for (const [organizationId, own] of byOrganization) {
        const head = await advance(heads, organizationId, own.length, tx);
        await entries.insertMany(
          own.map((event, at) => entryOf(event, head, head.n - own.length + at + 1, work)),
          {
            session: tx,
          },
        );
      }
      return result;
    });
}

/** Allocates the next numbers. Times never decrease, whatever the clocks of processes. */
async function advance(
  heads: Collection<HeadDocument>,
  organizationId: string,
  by: number,
  tx: ClientSession,
): Promise<HeadDocument> {
  const next = { n: { $add: [{ $ifNull: ["$n", 0] }, by] }, at: { $max: ["$at", new Date()] } };
  const head = await heads.findOneAndUpdate({ _id: organizationId }, [{ $set: next }], {
    ...{ upsert: true, returnDocument: "after", session: tx },
  });
  if (head === null) throw new Error("an organization has no place in the audit log");
  return head;
}

function entryOf(event: AuditEvent, { at }: HeadDocument, n: number, work: Work): AuditDocument {
  const place = { _id: placeOf(event.organization_id, n), n, at };
  return { ...place, ...circumstancesOf(work), ...event, actor: event.actor ?? null };
}

function circumstancesOf({ author, origin }: Work): Omit<Circumstances, "actor"> {
  return { address: origin?.address ?? "", request_id: origin?.requestId ?? null, comment: author?.comment ?? null };
}
