import { hashCredential } from "@nts/shared/credential";
import { newId } from "@nts/shared/ids";
import { newToken } from "../../secrets/tokens.js";
import type { UserDocument } from "../../model/user.js";
import { newSession, type SessionDocument, type SignInPlace } from "../../model/session.js";

/** An unsaved session with its token, which only the browser keeps. */
export interface StartedSession {
  readonly token: string;
  readonly session: SessionDocument;
}

/** Continues a session in another organization, with its original start and maximum end. */
export function continueSession(before: SessionDocument, user: UserDocument, now: Date): StartedSession {
  const { created_at, expires_at, browser, address, provider, confirmed_at, by_device } = before;
  const { token, session } = startSession(user, now, { browser, address });
  const shown = {
    ...(provider && { provider }),
    ...(confirmed_at && { confirmed_at }),
    ...(by_device && { by_device }),
  };
  return { token, session: { ...session, created_at, expires_at, ...shown } };
}

/** Creates a session with a new token. */
export function startSession(user: Parameters<typeof newSession>[0], now: Date, place: SignInPlace): StartedSession {
  const token = newToken();
  return { token, session: newSession(user, { id: newId(), hash: hashCredential(token), now, place }) };
}
