import type { Db } from "mongodb";
import type { Log } from "@nts/shared/log";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
import { BACKGROUND, type Work } from "@nts/shared/work";
import type { UserDocument } from "../model/user.js";
import { noteEvent } from "../storage/audit-notes.js";
import { countTowardsHourlyLimit } from "./hourly-limit.js";

/** Maximum entries waiting to be written; further ones are dropped and logged. */
const MOST_WAITING = 1_000;

/** With a wrong password, or a wrong code after the correct password. */
export type FailedStep = "login_failed" | "second_factor_failed";

/** Records failed logins in the background, because waiting would make the response slower for existing accounts. */
export interface FailedLogins {
  /** @param failures consecutive failures from this address */
  note(user: UserDocument, failures: number, work: Work, action?: FailedStep): void;
  /** Resolves when all recorded entries are written. */
  written(): Promise<void>;
}

interface Parts {
  readonly db: Db;
  readonly transaction: RunTransaction;
  readonly log: Log;
  readonly now: () => Date;
}

export function createFailedLogins({ db, transaction, log, now }: Parts): FailedLogins {
  const waiting = new Set<Promise<void>>();

  async function write(
    user: UserDocument,
    attempts: number,
    { author, origin }: Work,
    action: FailedStep,
  ): Promise<void> {
    const { organization_id: organizationId } = user;
    const work = { ...BACKGROUND, ...(author && { author }), ...(origin && { origin }) };
    await transaction(work, [`audit:${organizationId}`], async (tx) => {
      const place = { organizationId, action, now: now() };
      if (!(await countTowardsHourlyLimit(db, place, tx))) throw new Discard(undefined);
      noteEvent(tx, "user", user, { action, attempts });
    });
  }

  return {
    note: (user, failures, work, action = "login_failed") => {
      if (!isRecorded(failures)) return;
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

/** Reports the first failure, and then each doubling. */
function isRecorded(failures: number): boolean {
  return (failures & (failures - 1)) === 0;
}
