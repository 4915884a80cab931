import { hashCredential } from "@nts/shared/credential";
import { newId } from "@nts/shared/ids";
import { newToken } from "../tokens.js";
import { newSession, type SessionDocument, type SignInPlace } from "./session.js";

/** A session that is not stored yet, with the token that only the user's browser will keep. */
export interface StartedSession {
  readonly token: string;
  readonly session: SessionDocument;
}

/** Makes a session with a new token. */
export function startSession(user: Parameters<typeof newSession>[0], now: Date, place: SignInPlace): StartedSession {
  const token = newToken();
  return { token, session: newSession(user, { id: newId(), hash: hashCredential(token), now, place }) };
}
