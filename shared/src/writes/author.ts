import type { ClientSession } from "mongodb";

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

const authors = new WeakMap<ClientSession, Author>();

/** Makes the stores tell who writes in a transaction. */
export function writeAs(session: ClientSession, author: Author): void {
  authors.set(session, author);
}

/** Who writes in a transaction; none where nobody asked for it. */
export function authorOf(session: ClientSession): Author | undefined {
  return authors.get(session);
}
