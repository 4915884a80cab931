import type { ClientSession } from "mongodb";
import type { Actor } from "../contract/changes.js";

/** On whose behalf something is written, and why: what the journal tells of a change. */
export interface Author {
  readonly userId: string;
  /** Null for a session. */
  readonly keyId: string | null;
  /** Null where the gateway does not say. */
  readonly email: string | null;
  readonly requestId: string;
  /** What the request gives as its reason. */
  readonly comment: string | null;
}

/** The user that the audit log names; null when unknown. */
export function actorOf(author: Author | undefined): Actor | null {
  return author === undefined ? null : { user_id: author.userId, key_id: author.keyId, email: author.email };
}

const authors = new WeakMap<ClientSession, Author>();

/** Lets the stores record who writes in a transaction. */
export function writeAs(session: ClientSession, author: Author): void {
  authors.set(session, author);
}

/** Who writes in a transaction; none for background work. */
export function authorOf(session: ClientSession): Author | undefined {
  return authors.get(session);
}
