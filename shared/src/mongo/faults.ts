import { isNativeError } from "node:util/types";
import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoServerError, MongoSystemError } from "mongodb";
import { AppError } from "../errors.js";

const WRITE_CONFLICT = 112;
const DUPLICATE_KEY = 11_000;

/** The server interrupted an operation or transaction that took too long. */
const TIMED_OUT = new Set([50, 262, 290]);

/** The driver's error names for failed and lost connections. */
const UNREACHABLE_NAMES = new Set([
  "MongoPoolClearedError",
  "MongoPoolClosedError",
  "MongoWaitQueueTimeoutError",
  "MongoNotConnectedError",
  "MongoClientClosedError",
  "MongoTopologyClosedError",
  "MongoServerClosedError",
  "MongoExpiredSessionError",
  "MongoCompatibilityError", // a read of a snapshot, while the driver knows no server that could give one
  "PoolClearedOnNetworkError",
]);

/** Errors of a server that is not, or no longer, the primary, as in the specification of retryable reads. */
const RETRYABLE_READ = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** Codes of a server that is stopping, no longer primary, or cut off from the others. */
const UNREACHABLE_CODES = new Set([
  ...[6, 7, 64, 89, 91, 100, 189, 9_001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436],
  ...[43, 237, 279, 11_601], // cursors and operations that ended with it
]);

/** Socket error codes of Node, which the driver passes on unchanged if it writes to a closing socket. */
const SOCKET_CODES = new Set(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"]);

/** Codes of a server without space, on disk (14031, and 39 for its files) or in its cache. */
const OVERLOADED_CODES = new Set([39, 146, 292, 365, 367, 14_031]);
/** WiredTiger's message in a write conflict for a transaction rolled back to free cache. */
const EVICTED = /eviction|cache (?:overflow|pressure|full)|TemporarilyUnavailable/i;

/** For a snapshot that is too old, or older than an index or collection. */
const NO_SNAPSHOT = new Set([239, 246]);

/** Whether the database does not have the snapshot of a read any more. */
export function isSnapshotGone(error: unknown): boolean {
  return error instanceof MongoServerError && NO_SNAPSHOT.has(Number(error.code));
}

/** A database error as reported to callers; null for other errors. */
export function mapMongoFault(error: unknown): AppError | null {
  if (isOfSocket(error)) return new AppError("unavailable", {}, error);
  if (!(error instanceof MongoError)) return null;
  const { code } = error;
  if (isOverloaded(error)) return new AppError("storage_overloaded", {}, error);
  if (isUnreachable(error)) return new AppError("unavailable", {}, error);
  if (typeof code === "number" && TIMED_OUT.has(code)) return new AppError("upstream_timeout", {}, error);
  return isWriteConflict(error) ? new AppError("write_conflict", {}, error) : null;
}

function isOfSocket(error: unknown): error is NodeJS.ErrnoException {
  return isNativeError(error) && "code" in error && SOCKET_CODES.has(String(error.code));
}

function isOverloaded({ code, message }: MongoError): boolean {
  if (typeof code !== "number") return false;
  return OVERLOADED_CODES.has(code) || (code === WRITE_CONFLICT && EVICTED.test(message));
}

function isUnreachable(error: MongoError): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoSystemError) return true;
  if (UNREACHABLE_NAMES.has(error.name) || error.hasErrorLabel("RetryableWriteError")) return true;
  if (typeof error.code === "number" && UNREACHABLE_CODES.has(error.code)) return true;
  // Bulk writes wrap the driver's own errors, which have no code.
  return error instanceof MongoBulkWriteError && error.code === undefined;
}

/** Any error as reported to callers: one of the database is mapped, an unexpected one is `internal_error`. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return mapMongoFault(error) ?? new AppError("internal_error", {}, error);
}

/** True if two transactions wrote the same document. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === WRITE_CONFLICT;
}

/** True if a unique index rejected a write. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** True if a read may succeed on the current primary. */
export function isRetryableRead(error: unknown): boolean {
  if (error instanceof MongoNetworkError || isOfSocket(error)) return true;
  return error instanceof MongoServerError && RETRYABLE_READ.has(Number(error.code));
}
