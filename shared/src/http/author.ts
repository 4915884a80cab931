import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { CHANGE_COMMENT, ChangeComment } from "../contract/writes.js";
import { validationFailed } from "../errors.js";
import type { Author } from "../author.js";
import { isUser, type Principal, type UserPrincipal } from "./tenancy.js";

/**
 * The author of a request that may change something, and their reason; otherwise null. @throws AppError
 * `validation_failed`
 */
export function authorIn(request: IncomingMessage, principal: Principal, requestId: string): Author | null {
  if (!isUser(principal) || isRead(request)) return null;
  return { ...readerOf(principal, requestId), comment: commentIn(request) };
}

/** The author of a read, for the few reads that are audited. */
export function readerOf(principal: UserPrincipal, requestId: string): Author {
  const { kind, credentialId, userId, email = null } = principal;
  return { userId, keyId: kind === "key" ? credentialId : null, email, requestId, comment: null };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function commentIn({ headers }: IncomingMessage): string | null {
  const given = headers[CHANGE_COMMENT];
  if (given === undefined) return null;
  // Node decodes header bytes as Latin-1, which is kept if they are not valid UTF-8.
  const bytes = Buffer.from(String(given), "latin1");
  const comment = ChangeComment.safeParse(isUtf8(bytes) ? bytes.toString() : String(given));
  if (!comment.success)
    throw validationFailed({ path: "Change-Comment", message: comment.error.issues[0]?.message ?? "is not valid" });
  return comment.data === "" ? null : comment.data;
}
