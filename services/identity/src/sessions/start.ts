import { randomBytes } from "node:crypto";
import { hashCredential } from "@nts/shared/credential";
import { newId } from "@nts/shared/ids";
import { newSession, type SessionDocument } from "./session.js";

/** A session that is not stored yet, with the token that only the user's browser will keep. */
export interface StartedSession {
  readonly token: string;
  readonly session: SessionDocument;
}

/** Makes a session with a token of 256 random bits. */
export function startSession(user: Parameters<typeof newSession>[0], now: Date): StartedSession {
  const token = randomBytes(32).toString("base64url");
  return { token, session: newSession(user, { id: newId(), hash: hashCredential(token), now }) };
}
