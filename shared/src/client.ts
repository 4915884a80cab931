import type { BodyInputOf, DataOf, Endpoint, ParamsOf, QueryInputOf } from "./contract/endpoint.js";
import { requestTarget } from "./contract/request-target.js";
import { IDEMPOTENCY_KEY, type Plan } from "./contract/writes.js";
import { bodyTypesOf, type UploadInput } from "./contract/upload.js";
import type { ErrorCode, ErrorParams } from "./errors.js";

// A typed client for browsers and Node, derived from the contract: `client.call(getService, { params: { id } })`.

/** What `meta.pagination` says. @see docs/api.md "Conventions" */
export interface Pagination {
  readonly total_count: number;
  readonly limit: number;
  readonly offset: number;
  readonly has_more: boolean;
  /** The `cursor` of the next page; absent at the end. */
  readonly next?: string;
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

/** What every call may have besides what its operation asks for. */
interface Conditions {
  /** The ETag of the state that is being changed: when it is not the present one any more, the call fails with 412. */
  readonly ifMatch?: string;
  /** Names a write, so that it may be repeated: it is answered as the first time, and has no second effect. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Is shown the text of the answer as far as it has come, for those that tell how far they are. */
  readonly onText?: (text: string) => void;
}

/** Parameters, query and body of a call; each is asked for only where the operation has it. */
export type Input<E extends Endpoint> = Given<ParamsOf<E>, "params"> & {
  readonly query?: QueryInputOf<E>;
} & Conditions &
  (undefined extends BodyInputOf<E> ? unknown : { readonly body: BodyInputOf<E> });

export interface ClientOptions {
  /** Without a trailing slash; empty for the page's own origin. */
  readonly baseUrl: string;
  /** Sent with each request, such as `authorization` or `cookie`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch;
  /** Is shown the head of every answer, such as for its rate limit. */
  readonly onAnswer?: (answer: Response) => void;
}

/** A page of the journal. */
export interface ChangesPage<Data> {
  readonly data: Data;
  /** The cursor to go on from; null when there is nothing behind. */
  readonly next: string | null;
  /** The cursor behind which everything is kept; absent in the history of one entity. */
  readonly oldest?: string;
}

export interface Client {
  /** @throws ApiError for every answer that is not a success */
  call<E extends Endpoint>(operation: E, input: Input<E>): Promise<DataOf<E>>;
  /** The same with the ETag of the answer, to send back as `ifMatch`. @throws ApiError */
  read<E extends Endpoint>(operation: E, input: Input<E>): Promise<{ data: DataOf<E>; etag: string | null }>;
  /** What a write would do; nothing of it is kept. @throws ApiError */
  plan<E extends Endpoint>(operation: E, input: Input<E>): Promise<Plan>;
  /** One page of a list. @throws ApiError */
  list<E extends Endpoint>(operation: E, input: Input<E>): Promise<{ data: DataOf<E>[]; pagination: Pagination }>;
  /** A page of the journal. @throws ApiError */
  changes<E extends Endpoint>(operation: E, input: Input<E>): Promise<ChangesPage<DataOf<E>>>;
  /** The pages of a list, from the first to the last, by their cursors. @throws ApiError */
  pages<E extends Endpoint>(operation: E, input: Input<E>): AsyncGenerator<DataOf<E>[], void, void>;
}

interface AnyInput extends Conditions {
  readonly params?: unknown;
  readonly query?: object;
  readonly body?: unknown;
}

interface Envelope {
  success: boolean;
  data: unknown;
  error: string;
  code: ErrorCode;
  params: ErrorParams;
  meta: { request_id: string; pagination: Pagination; plan: Plan; next: string | null; oldest?: string };
}

/** A client of one caller. */
export function createClient({
  baseUrl,
  headers = {},
  // looked up at each call, and called as the browser wants it
  fetch = (url, init) => globalThis.fetch(url, init),
  onAnswer = () => undefined,
}: ClientOptions): Client {
  async function send(operation: Endpoint, input: AnyInput): Promise<{ envelope: Envelope; etag: string | null }> {
    const { body, ifMatch, idempotencyKey, signal, onText } = input;
    const answered = await fetch(baseUrl + requestTarget(operation.path, input), {
      method: operation.method.toUpperCase(),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { "content-type": bodyTypesOf(operation)[0] }),
        ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
        ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: operation.upload ? (body as UploadInput) : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    onAnswer(answered);
    const text = onText === undefined ? await answered.text() : await textOf(answered, onText);
    const envelope = JSON.parse(text) as Envelope;
    if (envelope.success) return { envelope, etag: answered.headers.get("etag") };
    throw new ApiError(answered.status, envelope, answered.headers.get("retry-after"));
  }
  async function read<E extends Endpoint>(operation: E, input: Input<E>) {
    const { envelope, etag } = await send(operation, input);
    return { data: envelope.data as DataOf<E>, etag };
  }
  async function list<E extends Endpoint>(operation: E, input: Input<E>) {
    const { data, meta } = (await send(operation, input)).envelope;
    return { data: data as DataOf<E>[], pagination: meta.pagination };
  }
  return {
    read,
    plan: async <E extends Endpoint>(operation: E, input: Input<E>) => {
      const query = { ...(input as AnyInput).query, dry_run: true };
      return (await send(operation, { ...input, query })).envelope.meta.plan;
    },
    list,
    changes: async <E extends Endpoint>(operation: E, input: Input<E>) => {
      const { data, meta } = (await send(operation, input)).envelope;
      const { next, oldest } = meta;
      return { data: data as DataOf<E>, next, ...(oldest !== undefined && { oldest }) };
    },
    pages: async function* <E extends Endpoint>(operation: E, input: Input<E>) {
      for (let cursor: string | undefined; ;) {
        const query = { ...(input as AnyInput).query, ...(cursor !== undefined && { cursor }) };
        const { data, pagination } = await list(operation, { ...input, query });
        yield data;
        if (pagination.next === undefined) return;
        cursor = pagination.next;
      }
    },
    call: async <E extends Endpoint>(operation: E, input: Input<E>) => (await read(operation, input)).data,
  };
}

async function textOf({ body }: Response, onText: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    text += decoder.decode(next.value, { stream: true });
    onText(text);
  }
  return text + decoder.decode();
}
