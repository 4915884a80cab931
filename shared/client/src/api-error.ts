import type { ErrorCode } from "./contract.generated.js";

/** A code of the API, or one for no response or a response from something else. */
export type FailureCode = ErrorCode | "unreachable" | "unreadable_answer";

/** The members of a failure envelope used here. */
export interface FailureEnvelope {
  readonly error: string;
  readonly code: FailureCode;
  readonly params: Readonly<Record<string, unknown>>;
  readonly meta: { readonly request_id: string };
}

/** The failed request and its response. */
export interface FailedRequest {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly method: string;
  /** Path and query, without origin. */
  readonly path: string;
  readonly retryAfter?: string | null;
}

/** A failed call. Aborted calls throw the reason of their signal instead. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  readonly status: number;
  readonly code: FailureCode;
  /** Details by name, documented with each code. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Identifies the request in the server's logs; empty if there was no response. */
  readonly requestId: string;
  /** HTTP method. */
  readonly method: string;
  /** Path and query of the request, without origin. */
  readonly path: string;
  /** Seconds to wait, if the response specified them. */
  readonly retryAfterSeconds: number | null;

  constructor(request: FailedRequest, envelope: FailureEnvelope, cause?: unknown) {
    super(envelope.error, { cause });
    this.status = request.status;
    this.method = request.method;
    this.path = request.path;
    this.code = envelope.code;
    this.params = envelope.params;
    this.requestId = envelope.meta.request_id;
    this.retryAfterSeconds = secondsIn(request.retryAfter ?? null);
  }
}

/** There was no response. */
export function unreachable(request: Pick<FailedRequest, "method" | "path">, cause: unknown): ApiError {
  const error = `The server could not be reached${cause instanceof Error ? `: ${reasonOf(cause)}` : ""}.`;
  return new ApiError({ ...request, status: 0 }, { error, code: "unreachable", params: {}, meta: NO_META }, cause);
}

/** The response did not come from the API, but for example from a proxy. */
export function unreadable(request: FailedRequest): ApiError {
  const error = `The response (${request.status}) is not from the API.`;
  return new ApiError(request, { error, code: "unreadable_answer", params: {}, meta: NO_META });
}

const NO_META = { request_id: "" };

/** Node's `fetch` puts the reason into `cause`. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}

/** `Retry-After` in seconds; proxies may send a date. */
function secondsIn(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
