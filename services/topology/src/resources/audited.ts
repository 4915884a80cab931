import type { ClientSession } from "mongodb";
import type { UserCall } from "@nts/shared/http/mount";
import { afterCommit } from "@nts/shared/work";
import type { Notices } from "../deletions/notices.js";
import type { Noted } from "../storage/audit-notes.js";
import type { Storage } from "../storage/storage.js";

/** Records audit notes in a transaction. */
export type Note = (noted: Noted) => Promise<void>;

/**
 * Runs an audited transaction with the given write keys. @throws AppError `unavailable` if too many notes are pending
 */
export type Audited = <T>(
  asking: Pick<UserCall<never>, "work" | "scope">,
  keys: readonly string[],
  body: (tx: ClientSession, note: Note) => Promise<T>,
) => Promise<T>;

/** Creates a runner of transactions whose body records audit notes; sends a notice after the commit. */
export function createAudited(
  { transaction, auditNotes }: Pick<Storage, "transaction" | "auditNotes">,
  notices: Pick<Notices, "auditNoted">,
): Audited {
  return async ({ work, scope: { organizationId } }, keys, body) => {
    const origin = work.origin ?? null;
    const result = await transaction(work, keys, (tx) => body(tx, (noted) => auditNotes.add(tx, noted, origin)));
    await afterCommit(work, () => {
      notices.auditNoted(organizationId);
    });
    return result;
  };
}
