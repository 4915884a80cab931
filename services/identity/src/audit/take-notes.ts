import type { Db } from "mongodb";
import type { Bus } from "@nts/shared/bus/bus";
import type { AuditNote } from "@nts/shared/contract/internal";
import { auditNoted } from "@nts/shared/contract/messages";
import { putUnder } from "@nts/shared/groups";
import type { Log } from "@nts/shared/log";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
import { repeat } from "@nts/shared/repeat";
import { BACKGROUND } from "@nts/shared/work";
import { ENTRIES_OF_NOTES } from "../storage/indexes.js";
import { sharingNext } from "@nts/shared/scheduling/batcher";
import type { AuditNoteSource } from "../topology/audit-notes.js";
import type { AuditDocument } from "../model/audit-entry.rules.js";
import { AUDIT, trailOf } from "../storage/audit-trail.js";

// Topology stores audit notes in its own database until they are entered here. If a process dies in between, the note
// is retried and its existing entry found, so that none is lost or duplicated.

/** Milliseconds between polls without a notice, which may be lost. */
const EVERY_MS = 15_000;

/** Enters all pending notes. @throws AppError if topology does not respond */
export type TakeNotes = () => Promise<void>;

export interface TakingParts {
  readonly db: Db;
  /** An audited transaction. */
  readonly transaction: RunTransaction;
  readonly source: AuditNoteSource;
  readonly log: Log;
}

export function createTakeNotes({ db, transaction, source, log }: TakingParts): TakeNotes {
  const entries = db.collection<AuditDocument>(AUDIT);

  /** A concurrent insert by another process makes this transaction retry, and find the entry. */
  async function write(organizationId: string, notes: readonly AuditNote[]): Promise<void> {
    await transaction(BACKGROUND, [`audit:${organizationId}`], async (tx) => {
      const filter = { note: { $in: notes.map(({ id }) => id) } };
      const options = { projection: { note: 1 }, hint: ENTRIES_OF_NOTES, session: tx };
      const known = new Set((await entries.find(filter, options).toArray()).map(({ note }) => note));
      const fresh = notes.filter(({ id }) => !known.has(id));
      if (fresh.length === 0) throw new Discard(null);
      for (const { id: note, ...event } of fresh) trailOf(tx).note({ ...event, note });
    });
  }

  async function takePage(notes: readonly AuditNote[], left: Set<string>): Promise<void> {
    const byOrganization = new Map<string, AuditNote[]>();
    for (const note of notes) putUnder(byOrganization, note.organization_id, note);
    for (const [organizationId, own] of byOrganization) {
      // Later ones wait for those that failed.
      if (left.has(organizationId)) continue;
      try {
        await write(organizationId, own);
        await source.confirm(
          organizationId,
          own.map(({ id }) => id),
        );
      } catch (error) {
        left.add(organizationId);
        log.warn({ err: error, organization_id: organizationId }, "audit notes could not be stored yet");
      }
    }
  }

  return async () => {
    const left = new Set<string>();
    for (let after = ""; ;) {
      const notes = await source.page(after);
      const last = notes.at(-1);
      if (last === undefined) return;
      await takePage(notes, left);
      after = last.id;
    }
  };
}

/** Takes notes as they arrive, until stopped. */
export function startTakingNotes(bus: Bus, log: Log, take: TakeNotes): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const takeNext = sharingNext(take);
  const onFault = (error: unknown): void => {
    if (!signal.aborted) log.warn({ err: error }, "audit notes could not be fetched from topology; retrying");
  };
  bus.subscribe(auditNoted, () => {
    if (!signal.aborted) takeNext().catch(onFault);
  });
  const running = repeat(takeNext, { everyMs: EVERY_MS, signal, onFault });
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}
