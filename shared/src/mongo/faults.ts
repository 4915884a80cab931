import { MongoError, MongoServerError } from "mongodb";
import { AppError } from "../errors.js";

const MAX_TIME_EXPIRED = 50;
const WRITE_CONFLICT = 112;
const DUPLICATE_KEY = 11_000;
const UNREACHABLE = new Set([
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoServerSelectionError",
  "MongoPoolClearedError",
  "MongoPoolClosedError",
  "MongoWaitQueueTimeoutError",
  "MongoNotConnectedError",
  "MongoClientClosedError",
  "MongoTopologyClosedError",
  "PoolClearedOnNetworkError",
]);

/** A fault of the database as callers may see it; null for anything that is not one. */
export function mapMongoFault(error: unknown): AppError | null {
  if (!(error instanceof MongoError)) return null;
  if (UNREACHABLE.has(error.name) || error.hasErrorLabel("RetryableWriteError"))
    return new AppError("unavailable", {}, error);
  if (error.code === MAX_TIME_EXPIRED || error.name === "MongoOperationTimeoutError")
    return new AppError("upstream_timeout", {}, error);
  return isWriteConflict(error) ? new AppError("write_conflict", {}, error) : null;
}

/** True when two transactions wrote the same document. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === WRITE_CONFLICT;
}

/** True when a unique index refused a write. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}
