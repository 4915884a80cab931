import type { Db } from "mongodb";
import type { Log } from "@nts/shared/log";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
import { BACKGROUND, type Work } from "@nts/shared/work";
import type { UserDocument } from "../users/user.js";
import { noteEvent } from "./notes.js";
import { takeRoom } from "./room.js";

/** Entries that may wait to be written; those beyond are lost, and logged. */
const MOST_WAITING = 1_000;

/** With a wrong password, or with a wrong code after the right one. */
export type FailedStep = "login_failed" | "second_factor_failed";

/**
 * Writes down that somebody gave a wrong password or code. Nobody waits for it: the answer would take longer for accounts that exist than
 * for others.
 */
export interface FailedLogins {
  /** @param failures in a row from this address */
  note(user: UserDocument, failures: number, work: Work, action?: FailedStep): void;
  /** All that was noted is written. */
  written(): Promise<void>;
}

export function createFailedLogins(db: Db, transaction: RunTransaction, log: Log): FailedLogins {
  const waiting = new Set<Promise<void>>();

  async function write(
    user: UserDocument,
    attempts: number,
    { author, origin }: Work,
    action: FailedStep,
  ): Promise<void> {
    // prettier-ignore
    const { organization_id: organizationId } = user;
    const work = { ...BACKGROUND, ...(author && { author }), ...(origin && { origin }) };
    await transaction(work, [`audit:${organizationId}`], async (tx) => {
      const place = { organizationId, action, now: new Date() };
      if (!(await takeRoom(db, place, tx))) throw new Discard(undefined);
      noteEvent(tx, "user", user, { action, attempts });
    });
  }

  return {
    note: (user, failures, work, action = "login_failed") => {
      if (!isTold(failures)) return;
      if (waiting.size >= MOST_WAITING) {
        log.warn({ user_id: user._id }, "a failed login was not recorded in the audit log: too many at once");
        return;
      }
      const writing = write(user, failures, work, action)
        .catch((error: unknown) => {
          log.warn({ err: error, user_id: user._id }, "a failed login could not be recorded in the audit log");
        })
        .finally(() => waiting.delete(writing));
      waiting.add(writing);
    },
    written: async () => {
      await Promise.all(waiting);
    },
  };
}

/** The first failure is told, and then whenever their number has doubled. */
function isTold(failures: number): boolean {
  return (failures & (failures - 1)) === 0;
}
