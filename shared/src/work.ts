import { performance } from "node:perf_hooks";
import { AppError } from "./errors.js";
import type { Author } from "./writes/author.js";
import type { UnitOfWork } from "./writes/unit.js";

/** Where something came from that was done. */
export interface Origin {
  readonly requestId: string;
  /** Of the client, as the gateway saw it. */
  readonly address: string;
}

/**
 * The request on whose behalf a process works. It travels from the server to every use of the database, so that nothing
 * is begun or committed for a caller who is gone or has been answered.
 */
export interface Work {
  /** `performance.now()` at which the caller is answered; Infinity for background work. */
  readonly deadline: number;
  /** True once the caller has disconnected. */
  isAbandoned(): boolean;
  /**
   * Runs a transaction within its organization's share of the connections to the database. Reads of stores take from it, too;
   * they may not be made within a transaction unless they are part of it, because uses may not nest.
   *
   * @throws AppError `rate_limited` when the organization has too many waiting already, or has waited too long
   */
  use<T>(task: () => Promise<T>): Promise<T>;
  /**
   * Takes one of the streams that the organization may have open at a time.
   *
   * @returns gives it back
   * @throws AppError `rate_limited` when it has that many
   */
  openStream(): () => void;
  /** Who asks, and why; absent for background work and for reads. */
  readonly author?: Author;
  /** The request, for the record of what was done; absent where there is none. */
  readonly origin?: Origin;
  /** Set when its transaction does not simply end with a commit: the request is a dry run, is explained, or has a key. */
  readonly unit?: UnitOfWork;
}

/** Work that no caller waits for, such as a sweep. */
export const BACKGROUND: Work = {
  deadline: Infinity,
  isAbandoned: () => false,
  use: (task) => task(),
  openStream: () => () => undefined,
};

/** Does what may only follow a commit: at once, or when the request's unit of work is kept; never when it is undone. */
export async function afterCommit({ unit }: Work, task: () => Promise<void> | void): Promise<void> {
  if (unit === undefined) await task();
  else unit.afterCommit(task);
}

/** @throws AppError `upstream_timeout` when the caller no longer waits for the result */
export function requireWanted(work: Pick<Work, "deadline" | "isAbandoned">): void {
  if (work.isAbandoned() || performance.now() > work.deadline) throw new AppError("upstream_timeout");
}
