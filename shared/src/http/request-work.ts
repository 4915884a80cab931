import { performance } from "node:perf_hooks";
import type { ServerResponse } from "node:http";
import type { AppError } from "../errors.js";
import type { Shares } from "../scheduling/shares.js";
import { timedOut } from "../timing.js";
import type { Origin, Work } from "../work.js";
import type { Author } from "../author.js";
import type { Reading } from "./body.js";
import { isFresh } from "./conditions.js";
import { sendError } from "./send.js";
import { organizationOf, type Principal } from "./tenancy.js";

/** The deadline of a request. */
export interface Clock extends Reading {
  /** `performance.now()` at which it expires; Infinity during an upload and once a response has started. */
  readonly deadline: number;
}

/** Called with the time-out that is about to be the response. */
type OnTimeout = (error: AppError) => void;

/** Responds with a failure if no response has started in time. The duration of uploads is limited by the gateway. */
export function startClock(response: ServerResponse, deadlineMs: number, onTimeout: OnTimeout): Clock {
  let timer: NodeJS.Timeout | undefined;
  let end = Infinity;
  const stop = (): void => {
    clearTimeout(timer);
  };
  const start = (): void => {
    const startedAt = performance.now();
    end = startedAt + deadlineMs;
    timer = setTimeout(() => {
      if (response.headersSent) return;
      const error = timedOut("serviceMs", startedAt, deadlineMs);
      onTimeout(error);
      sendError(response, error);
    }, deadlineMs);
  };
  start();
  response.once("close", stop);
  return {
    begins: () => {
      stop();
      end = Infinity;
    },
    ends: start,
    get deadline() {
      return response.headersSent && !response.writableEnded ? Infinity : end;
    },
  };
}

/** The principal of the request. */
export interface RequestContext {
  readonly principal: Principal;
  readonly clock: Clock;
  readonly author: Author | null;
  readonly origin: Origin;
}

/** The work of a request, passed to everything that uses the database for it. */
export function workOf(
  shares: Shares,
  response: ServerResponse,
  { principal, clock, author, origin }: RequestContext,
): Work {
  const organizationId = organizationOf(principal);
  // Visitors of its shares must not keep its members waiting.
  const share = principal.kind === "share" ? `visitors of ${principal.scope.organizationId}` : organizationId;
  shares.arrives();
  return {
    get deadline() {
      return clock.deadline;
    },
    isAbandoned: () => response.destroyed,
    use: (task) => (share === null ? task() : shares.use(share, task)),
    openStream: () => (share === null ? Promise.resolve(() => undefined) : shares.openStream(share)),
    ...(organizationId !== null && { organizationId }),
    ...(author !== null && { author }),
    origin,
    hasCopyOf: (revision) => isFresh(response.req.headers, `"${revision}"`),
  };
}
