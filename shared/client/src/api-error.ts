import type { ErrorCode } from "./contract.generated.js";

/** A code of the API; or nobody answered, or something else than the API did. */
export type FailureCode = ErrorCode | "unreachable" | "unreadable_answer";

/** A failed envelope, as far as this needs it. */
export interface FailureEnvelope {
  readonly error: string;
  readonly code: FailureCode;
  readonly params: Readonly<Record<string, unknown>>;
  readonly meta: { readonly request_id: string };
}

/** What failed: which request, and how it was answered. */
export interface FailedRequest {
  /** Of HTTP; 0 when nobody answered. */
  readonly status: number;
  readonly method: string;
  /** Path and query, without origin. */
  readonly path: string;
  readonly retryAfter?: string | null;
}

/** A call that failed, whatever the reason, but for signals: those throw what they were aborted with. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  readonly status: number;
  readonly code: FailureCode;
  /** Details, by name; documented with each code. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Names the request in the server's logs; empty when nobody answered. */
  readonly requestId: string;
  /** Such as `GET`. */
  readonly method: string;
  /** Path and query of the request, without origin. */
  readonly path: string;
  /** Seconds to wait, when the answer said so. */
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

/** Nobody answered. */
export function unreachable(request: Pick<FailedRequest, "method" | "path">, cause: unknown): ApiError {
  const error = `The server could not be reached${cause instanceof Error ? `: ${reasonOf(cause)}` : ""}.`;
  return new ApiError({ ...request, status: 0 }, { error, code: "unreachable", params: {}, meta: NO_META }, cause);
}

/** What answered was something else than the API, such as a proxy in front of it. */
export function unreadable(request: FailedRequest): ApiError {
  const error = `The answer (${request.status}) is none of the API.`;
  return new ApiError(request, { error, code: "unreadable_answer", params: {}, meta: NO_META });
}

const NO_META = { request_id: "" };

/** `fetch` of Node says in its cause what was the matter. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}

/** `Retry-After` in seconds; proxies may write a date. */
function secondsIn(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
