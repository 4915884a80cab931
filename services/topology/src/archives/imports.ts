import { AppError } from "@nts/shared/errors";
import type { ImportRunner } from "../imports/runner.js";
import type { Storage } from "../storage/storage.js";
import { type ArchiveRequest, importArchive } from "./import.js";
import { createSlices } from "./slices.js";

/** Maximum concurrent archive imports per organization, since each one takes memory in addition to its file. */
export const MOST_OF_ORGANIZATION = 2;
/** `Retry-After` of a refused import. */
const RETRY_SECONDS = 5;

/** Creates {@link importArchive} with a concurrency limit per organization. */
export function createArchiveImports(
  storage: Storage,
  runner: ImportRunner,
): (request: ArchiveRequest) => AsyncGenerator<string> {
  const dependencies = { storage, runner, slices: createSlices(storage.database.idle) };
  const running = new Map<string, number>();
  const add = (organizationId: string, more: 1 | -1): void => {
    const now = (running.get(organizationId) ?? 0) + more;
    if (now === 0) running.delete(organizationId);
    else running.set(organizationId, now);
  };
  return async function* (request) {
    const { organizationId } = request.scope;
    if (running.get(organizationId) === MOST_OF_ORGANIZATION)
      throw new AppError("rate_limited", { retry_after_seconds: RETRY_SECONDS });
    add(organizationId, 1);
    try {
      yield* importArchive(dependencies, request);
    } finally {
      add(organizationId, -1);
    }
  };
}
