import { performance } from "node:perf_hooks";
import type { ClientSession } from "mongodb";
import { siteOf } from "./address-block.js";
import { AppError } from "./errors.js";
import type { Author } from "./author.js";
import type { PlannedImpact } from "./contract/writes.js";

/** The origin of an action. */
export interface Origin {
  readonly requestId: string;
  /** Of the client, as seen by the gateway. */
  readonly address: string;
}

/**
 * The context of a request. It is passed to every database use, so that nothing starts or commits for a caller that is
 * gone or has its response.
 */
export interface Work {
  /** `performance.now()` at which the response is due; Infinity for background work. */
  readonly deadline: number;
  /** True once the caller has disconnected. */
  isAbandoned(): boolean;
  /**
   * Runs a transaction within its organization's share of database connections. Reads of stores use it, too, except
   * those inside a transaction, because uses must not nest.
   *
   * @throws AppError `rate_limited` if the organization has too many waiting, or has waited too long · `unavailable` if
   * none of its uses has ended meanwhile
   */
  use<T>(task: () => Promise<T>): Promise<T>;
  /**
   * Waits for one of the organization's streams.
   *
   * @returns releases it
   * @throws AppError `rate_limited` if too many wait, or it has waited too long
   */
  openStream(): Promise<() => void>;
  /** Absent for anonymous requests and background work. */
  readonly organizationId?: string;
  /** The author and reason of a change; absent for background work and reads. */
  readonly author?: Author;
  /** The request, for the audit log; absent if there is none. */
  readonly origin?: Origin;
  /** Whether the client has a copy of a representation (`If-None-Match`), by its revision; absent for background work. */
  readonly hasCopyOf?: (revision: string) => boolean;
  /** Set if the transaction does not simply commit: for dry runs, explained writes and idempotency keys. */
  readonly unit?: UnitOfWork;
}

/** What a transaction does. @param attempt number of attempts that failed with conflicts; absent for none */
export type TransactionBody<T> = (tx: ClientSession, attempt?: number) => Promise<T>;

/** A request's transaction, as seen by handlers and `transaction`. */
export interface UnitOfWork {
  /** It is rolled back in any case. */
  readonly isDry: boolean;
  /** Runs a body in the only transaction of the request. @param run makes attempts, and commits */
  within<T>(run: (body: TransactionBody<T>) => Promise<T>, body: TransactionBody<T>): Promise<T>;
  afterCommit(task: () => Promise<void> | void): void;
  /** Registers what follows a rollback. */
  afterUndone(task: () => Promise<void>): void;
  /** What stops with what is deleted, for the plan. */
  impact?: PlannedImpact;
}

/** Whose work it is, among those who take turns: an organization, or the site of an anonymous client. */
export function callerOf({ organizationId, origin }: Work): string {
  return organizationId ?? siteOf(origin?.address ?? "");
}

/** Work that no caller waits for, such as a sweep. */
export const BACKGROUND: Work = {
  deadline: Infinity,
  isAbandoned: () => false,
  use: (task) => task(),
  openStream: () => Promise.resolve(() => undefined),
};

/**
 * Runs something after the commit: at once, or when the request's unit of work is committed; never after a rollback.
 */
export async function afterCommit({ unit }: Work, task: () => Promise<void> | void): Promise<void> {
  if (unit === undefined) await task();
  else unit.afterCommit(task);
}

/**
 * Waits for background work until some time before the response is due, so that the caller is told to try again instead
 * of running into a timeout.
 *
 * @param reserveMs milliseconds that the rest of the request needs
 * @throws AppError `unavailable` if it is not done by then
 */
export async function inTime<T>({ deadline }: Pick<Work, "deadline">, reserveMs: number, task: Promise<T>): Promise<T> {
  if (deadline === Infinity) return task;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        reject(new AppError("unavailable"));
      },
      deadline - reserveMs - performance.now(),
    );
  });
  try {
    return await Promise.race([task, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws AppError `unavailable` if less time is left until the response is due, so that nothing is spent in vain */
export function requireTime({ deadline }: Pick<Work, "deadline">, reserveMs: number): void {
  if (performance.now() > deadline - reserveMs) throw new AppError("unavailable");
}

/** @throws AppError `upstream_timeout` if the caller no longer waits for the result */
export function requireNotAbandoned(work: Pick<Work, "deadline" | "isAbandoned">): void {
  if (work.isAbandoned() || performance.now() > work.deadline) throw new AppError("upstream_timeout");
}

/** The work of a request that goes on without a response. */
export function withoutResponse({ use, organizationId, author, origin }: Work): Work {
  return {
    ...BACKGROUND,
    use,
    ...(organizationId !== undefined && { organizationId }),
    ...(author !== undefined && { author }),
    ...(origin !== undefined && { origin }),
  };
}
