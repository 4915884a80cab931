import { Agent, request } from "undici";
import type { BodyInputOf, DataOf, Endpoint, ParamsOf, QueryInputOf } from "../contract/endpoint.js";
import { requestTarget } from "@nts/client/request-target";
import { AppError, type ErrorCode } from "../errors.js";
import type { Replica } from "./replicas.js";
import type { Upstream } from "./upstream.js";
import { type ParentRequest, INTERNAL, REQUEST_ID, TRACEPARENT } from "../http/headers.js";
import type { Principal } from "../http/tenancy.js";
import { IDLE } from "../timing.js";

/** The input of an internal operation. */
export interface Question<E> {
  readonly params?: ParamsOf<E>;
  readonly query?: QueryInputOf<E>;
  readonly body?: BodyInputOf<E>;
  /** Absent if the process acts on its own initiative. */
  readonly cause?: ParentRequest;
  /** Of the client; absent if it does not matter. */
  readonly clientAddress?: string;
}

/** Calls another process of the system, on any of its replicas. */
export interface InternalClient {
  /** @throws AppError `unavailable` if no replica responds, `upstream_timeout`, or the failure of the service */
  ask<E extends Endpoint>(operation: E, question: Question<E>): Promise<DataOf<E>>;
  /** Aborts all open calls. */
  close(): Promise<void>;
}

export interface InternalClientOptions {
  readonly upstream: Upstream;
  readonly sign: (principal: Principal) => string;
  /** Milliseconds for an attempt while another replica can be tried. */
  readonly timeoutMs: number;
  /** Milliseconds for the last attempt; by default the same. */
  readonly lastTimeoutMs?: number;
  /** Its operations must not be repeated: another replica is only tried if the first one cannot have been reached. */
  readonly once?: boolean;
}

// Internal operations are idempotent, except where `once` is set. More attempts would take longer than callers can wait.
const MOST_TIMEOUTS = 2;

/** Errors of connections that were never made. */
const UNREACHED = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];

/** Creates a client that tries another replica if one is unreachable, disconnects or is too slow. */
export function createInternalClient(options: InternalClientOptions): InternalClient {
  const { upstream, sign, timeoutMs, lastTimeoutMs = timeoutMs, once = false } = options;
  const agent = new Agent({ connections: 32, connect: { timeout: 1_000 }, keepAliveTimeout: IDLE.ofInternalCallsMs });
  return {
    ask: async (operation, question) => {
      let timeouts = 0;
      const tried: Replica[] = [];
      for (let attemptsLeft = upstream.all().length; ; attemptsLeft--) {
        const call = upstream.call({ isInternal: true, tried });
        try {
          const isLast = attemptsLeft <= 1 || timeouts === MOST_TIMEOUTS - 1;
          const limitMs = isLast ? lastTimeoutMs : timeoutMs;
          const data = await askOne(call.replica, operation, { ...question, limitMs });
          call.responded();
          return data;
        } catch (error) {
          if (error instanceof AppError) {
            call.responded();
            throw error;
          }
          call.failed();
          tried.push(call.replica);
          const isLate = isTimeout(error);
          if (isLate) timeouts++;
          if (attemptsLeft <= 1 || timeouts === MOST_TIMEOUTS || (once && !isUnreached(error)))
            throw new AppError(isLate ? "upstream_timeout" : "unavailable", {}, error);
        } finally {
          call.end();
        }
      }
    },
    close: () => agent.destroy(),
  };

  async function askOne<E extends Endpoint>(
    { origin, host }: Replica,
    operation: E,
    question: Question<E> & { readonly limitMs: number },
  ): Promise<DataOf<E>> {
    const response = await request(origin + requestTarget(operation.path, question), {
      dispatcher: agent,
      method: operation.method.toUpperCase(),
      headers: {
        host,
        [INTERNAL.tenancy]: sign({ kind: "process" }),
        ...headersOf(question.cause),
        ...(question.clientAddress !== undefined && { [INTERNAL.clientAddress]: question.clientAddress }),
        ...(question.body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: question.body === undefined ? null : JSON.stringify(question.body),
      signal: AbortSignal.timeout(question.limitMs),
    });
    const data: unknown = await response.body.json();
    if (response.statusCode === 200) return operation.response.parse(data) as DataOf<E>;
    const { code, params } = data as { code: ErrorCode; params: Record<string, unknown> };
    // A rejected signature is a misconfiguration between processes, which no caller can fix.
    throw response.statusCode === 401 ? new AppError("upstream_failed", {}, data) : new AppError(code, params);
  }
}

function headersOf(cause: ParentRequest | undefined): Record<string, string> {
  return cause === undefined ? {} : { [REQUEST_ID]: cause.requestId, [TRACEPARENT]: cause.traceparent };
}

function isUnreached(error: unknown): boolean {
  return error instanceof Error && "code" in error && UNREACHED.includes(String(error.code));
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
