import { performance } from "node:perf_hooks";
import { AppError } from "./errors.js";

// The times that only hold together: a limit of one process relies on that of another. All in milliseconds; their order
// is tested. docs/architecture.md explains a time-out by them.

/** How long a response may take, from the inside out: whoever waits has a later limit than what it waits for. */
export const DEADLINES = {
  /** One operation of the database. */
  operationMs: 5_000,
  /** All attempts of a transaction. */
  transactionMs: 6_000,
  /** Until a service begins its response. */
  serviceMs: 8_000,
  /** Until a service's response reaches the gateway; for an upload, after it was received. */
  gatewayMs: 10_000,
  /** Without progress of a response that has begun. */
  stalledMs: 30_000,
  /** The database's time for all batches of a stream; waiting for the reader does not count. */
  streamMs: 60_000,
  /** A call of identity to topology, twice at most. */
  topologyCallMs: 3_000,
  /** Verifying a credential at a replica of identity, and at the last one that is tried. */
  verifyMs: 1_000,
  lastVerifyMs: 3_000,
} as const;

/** The bound of a revocation. @see docs/revocation.md */
export const REVOCATION = {
  /** How long a gateway serves cached credentials, from when it asked for the lease. */
  leaseMs: 1_000,
  /** What identity adds before it considers a lease expired. */
  leaseMarginMs: 50,
  /** Gateways ask for changes this often, and for this long; a lost answer leaves time to ask again. */
  pollEveryMs: 200,
  pollMs: 400,
  /** A gateway without requests gives up its lease after the first, and then asks as often as the second. */
  restAfterMs: 3_000,
  restPollEveryMs: 7_000,
  /** Identity forgets a gateway that was silent for this long. */
  goneMs: 15_000,
} as const;

/** The signed tenancy header. */
export const TENANCY = {
  lifeMs: 60_000,
  skewMs: 30_000,
  /** A gateway sends one again for this long. */
  reusedMs: 20_000,
} as const;

/** Idle connections: a client lets go before its server does, so that none sends into a connection that is closing. */
export const IDLE = {
  ofInternalCallsMs: 4_000,
  ofForwardingMs: 30_000,
  atServicesMs: 75_000,
  atGatewayMs: 65_000,
} as const;

/** From the signal to the end of a process. */
export const STOPPING = {
  drainGatewayMs: 8_000,
  drainServiceMs: 9_000,
  /** The end, even if something hangs. */
  limitMs: 14_000,
} as const;

/** A time-out whose log line names the limit and the time that has passed. @param startedAt `performance.now()` */
export function timedOut(
  limit: keyof typeof DEADLINES,
  startedAt: number,
  limitMs: number = DEADLINES[limit],
): AppError {
  const elapsedMs = Math.round(performance.now() - startedAt);
  return new AppError("upstream_timeout", {}, new Error(`${limit}: ${elapsedMs} of ${limitMs} ms`));
}
