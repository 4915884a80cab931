import type { BodyInputOf, DataOf, Endpoint, ParamsOf, QueryInputOf } from "./contract/endpoint.js";
import type { ErrorCode, ErrorParams } from "./errors.js";

// A typed client for browsers and Node, derived from the contract: `client.call(getService, { params: { id } })`.

/** What `meta.pagination` says. @see spec § 2.6 */
export interface Pagination {
  readonly total_count: number;
  readonly limit: number;
  readonly offset: number;
  readonly has_more: boolean;
}

/** A failure as the API answered it. `status` is that of HTTP. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  readonly status: number;
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly requestId: string;
  /** Seconds to wait, when the answer said so. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, envelope: Envelope, retryAfter: string | null) {
    super(envelope.error);
    this.status = status;
    this.code = envelope.code;
    this.params = envelope.params;
    this.requestId = envelope.meta.request_id;
    this.retryAfterSeconds = retryAfter === null ? null : Number(retryAfter);
  }
}

type Given<Value, Name extends string> = string extends keyof Value ? unknown : Record<Name, Value>;

/** Parameters, query and body of a call; each is asked for only where the operation has it. */
export type Input<E extends Endpoint> = Given<ParamsOf<E>, "params"> & {
  readonly query?: QueryInputOf<E>;
} & (undefined extends BodyInputOf<E> ? unknown : { readonly body: BodyInputOf<E> });

export interface ClientOptions {
  /** Without a trailing slash; empty for the page's own origin. */
  readonly baseUrl: string;
  /** Sent with each request, such as `authorization` or `cookie`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch;
}

export interface Client {
  /** @throws ApiError for every answer that is not a success */
  call<E extends Endpoint>(operation: E, input: Input<E>): Promise<DataOf<E>>;
  /** One page of a list. @throws ApiError */
  list<E extends Endpoint>(operation: E, input: Input<E>): Promise<{ data: DataOf<E>[]; pagination: Pagination }>;
}

interface Envelope {
  success: boolean;
  data: unknown;
  error: string;
  code: ErrorCode;
  params: ErrorParams;
  meta: { request_id: string; pagination: Pagination };
}

/** A client of one caller. */
export function createClient({ baseUrl, headers = {}, fetch = globalThis.fetch }: ClientOptions): Client {
  async function send(
    operation: Endpoint,
    input: { params?: unknown; query?: unknown; body?: unknown },
  ): Promise<Envelope> {
    const answered = await fetch(baseUrl + urlOf(operation.path, input.params, input.query), {
      method: operation.method.toUpperCase(),
      headers: input.body === undefined ? headers : { ...headers, "content-type": "application/json" },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    });
    const envelope = (await answered.json()) as Envelope;
    if (envelope.success) return envelope;
    throw new ApiError(answered.status, envelope, answered.headers.get("retry-after"));
  }
  return {
    call: async <E extends Endpoint>(operation: E, input: Input<E>) => (await send(operation, input)).data as DataOf<E>,
    list: async <E extends Endpoint>(operation: E, input: Input<E>) => {
      const { data, meta } = await send(operation, input);
      return { data: data as DataOf<E>[], pagination: meta.pagination };
    },
  };
}

function urlOf(path: string, params: unknown, query: unknown): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent((params as Record<string, string>)[name] ?? ""),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one));
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}
