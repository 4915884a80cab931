import type { ClientSession, Db } from "mongodb";
import { AppError } from "@nts/shared/errors";

/** Who may register without an invite: anyone, the first account of the installation only, or nobody. */
export const REGISTRATIONS = ["open", "first", "invite"] as const;
export type RegistrationRule = (typeof REGISTRATIONS)[number];

const MARKERS = "counters";
/** Says that the installation has had an account; it stays when all accounts are deleted. */
const MARKER = "first_account";

interface MarkerDocument {
  _id: string;
  at: Date;
}

/** Notes in the transaction that creates an account, however it is made, that there is one. */
export type NoteAccount = (tx: ClientSession) => Promise<void>;

export function createNoteAccount(db: Db): NoteAccount {
  const markers = db.collection<MarkerDocument>(MARKERS);
  return async (session) => {
    const found = await markers.findOne({ _id: MARKER }, { session });
    // Of concurrent transactions one inserts it; the others are repeated, and then find it.
    if (found === null) await markers.insertOne({ _id: MARKER, at: new Date() }, { session });
  };
}

/**
 * Whether an account may be registered without an invite. It is exact in the transaction that creates the account, if
 * that notes the account as well.
 *
 * @throws AppError `registration_closed`
 */
export type RequireOpenRegistration = (tx?: ClientSession) => Promise<void>;

export function createRequireOpenRegistration(db: Db, rule: RegistrationRule): RequireOpenRegistration {
  const markers = db.collection<MarkerDocument>(MARKERS);
  return async (session) => {
    if (rule === "open") return;
    if (rule === "invite") throw new AppError("registration_closed");
    const found = await markers.findOne({ _id: MARKER }, { projection: { _id: 1 }, ...(session && { session }) });
    if (found !== null) throw new AppError("registration_closed");
  };
}
