import type { ClientSession } from "mongodb";
import type { UserCall } from "@nts/shared/http/mount";
import { afterCommit } from "@nts/shared/work";
import type { Notices } from "../deletions/notices.js";
import type { Noted } from "../storage/audit-notes.js";
import type { Storage } from "../storage/storage.js";

/** Notes for the audit log what a transaction does. */
export type Note = (noted: Noted) => Promise<void>;

/** Runs a transaction that is told by the audit log, under locks of these keys. @throws AppError `unavailable` when too much waits to be told */
export type Audited = <T>(
  asking: Pick<UserCall<never>, "work" | "scope">,
  keys: readonly string[],
  body: (tx: ClientSession, note: Note) => Promise<T>,
) => Promise<T>;

/** Makes what runs a transaction whose body notes for the audit log what it does, and says so when it is committed. */
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
