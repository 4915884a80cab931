import { setTimeout as delay } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { requireNotAbandoned, type Work } from "@nts/shared/work";
import { BARRIER, NOTES, type NoteDocument } from "../storage/authorship.js";
import type { Database } from "../storage/database.js";
import { BY_ID } from "../storage/indexes.js";
import { scopedCollection } from "../storage/scoped-collection.js";

/** Longer than another process needs to take over. */
const LONGEST_WAIT_MS = 4_500;
/** Most waits end after a few milliseconds, the rest after many. */
const FIRST_MS = 4;
const EVERY_MS = 15;

/** The waiting request. */
export type Waiting = Pick<Work, "deadline" | "isAbandoned">;

/**
 * Waits until everything committed before is in the journal: a marker follows through the change stream, and is
 * acknowledged by the journal process.
 *
 * @throws AppError `unavailable` if that takes too long
 */
export async function caughtUp({ db, share }: Database, scope: Scope, work: Waiting): Promise<void> {
  const notes = scopedCollection<NoteDocument>(db, NOTES);
  const { organizationId: organization_id } = scope;
  const note = { organization_id, _id: new ObjectId() };
  await share(scope, () => notes.insertMany([{ ...note, at: new Date(), kind: BARRIER }], {}));
  const until = performance.now() + LONGEST_WAIT_MS;
  for (let pause = FIRST_MS; ; pause = Math.min(2 * pause, EVERY_MS)) {
    await delay(pause);
    requireNotAbandoned(work);
    const found = await share(scope, () => notes.findOne(note, { projection: { passed: 1 }, hint: BY_ID }));
    if (found?.passed === true) return;
    if (performance.now() > until) throw new AppError("unavailable", {}, new Error("the journal is behind"));
  }
}
