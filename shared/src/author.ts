import type { ClientSession } from "mongodb";
import type { Actor } from "./contract/changes.js";

/** The author of a write, as recorded in the journal. */
export interface Author {
  readonly userId: string;
  /** Null for a session. */
  readonly keyId: string | null;
  /** Null if the gateway does not say. */
  readonly email: string | null;
  readonly requestId: string;
  /** The reason given in the request. */
  readonly comment: string | null;
}

/** The user recorded in the audit log; null if unknown. */
export function actorOf(author: Author | undefined): Actor | null {
  return author === undefined ? null : { user_id: author.userId, key_id: author.keyId, email: author.email };
}

const authors = new WeakMap<ClientSession, Author>();

/** Sets the author of a transaction, for the stores to record. */
export function writeAs(session: ClientSession, author: Author): void {
  authors.set(session, author);
}

/** The author of a transaction; undefined for background work. */
export function authorOf(session: ClientSession): Author | undefined {
  return authors.get(session);
}
