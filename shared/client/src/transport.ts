import { ApiError, type FailureEnvelope, unreachable, unreadable } from "./api-error.js";
import { CHANGE_COMMENT, IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED } from "./contract.generated.js";
import { pause } from "./pause.js";
import { REPEATING, type Repeating, repeatAfterMs } from "./repeating.rules.js";
import { requestTarget } from "./request-target.js";
import type { Pagination, Plan } from "./types.js";

// Sends requests and reads envelopes, for whatever types callers see.

/** What a request needs to know of an operation. */
export interface Operation {
  readonly method: string;
  /** With `{name}` placeholders. */
  readonly path: string;
  /** A repeat under an idempotency key has no second effect. */
  readonly takesKey?: boolean;
  /** Of its body; JSON when absent. */
  readonly bodyType?: string;
  /** Its body is a file. */
  readonly isUpload?: boolean;
}

/** What a client may send as a file; a browser's `File` is a `Blob`. */
export type UploadInput = string | Uint8Array<ArrayBuffer> | Blob;

/** What every call may have besides what its operation asks for. */
export interface Conditions {
  /** The ETag of the state that is being changed: when it is not the present one any more, the call fails with 412. */
  readonly ifMatch?: string;
  /** Names a write, so that it may be repeated. Made up for each write where it is not given. */
  readonly idempotencyKey?: string;
  /** Why something is changed, for the journal; at most 200 characters. */
  readonly comment?: string;
  readonly signal?: AbortSignal;
  /** Is shown the text of the answer as far as it has come, for those that tell how far they are. */
  readonly onText?: (text: string) => void;
}

export interface Input extends Conditions {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  /** Answered 304, and so null, for as long as this is the present state. */
  readonly ifNoneMatch?: string;
  readonly lastEventId?: string;
}

export interface ClientOptions extends Partial<Repeating> {
  /** Without a trailing slash; empty for the page's own origin. */
  readonly baseUrl: string;
  /** Sent with each request as `Authorization: Bearer`. */
  readonly apiKey?: string;
  /** Sent with each request, such as `cookie`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch;
  /** Is shown the head of every answer, such as for its rate limit. */
  readonly onAnswer?: (answer: Response) => void;
}

export interface Meta {
  readonly request_id?: string;
  readonly pagination: Pagination;
  readonly plan: Plan;
  readonly next: string | null;
  readonly oldest?: string;
  readonly changes_cursor?: string;
}

/** A success as it was answered. */
export interface Answer<Data = unknown> {
  readonly data: Data;
  /** To send back as `ifMatch`; null where the answer has none. */
  readonly etag: string | null;
  readonly meta: Meta;
  readonly requestId: string;
  /** It is the answer that an earlier request with this idempotency key was given. */
  readonly isReplayed: boolean;
}

export interface Transport {
  /** @returns null for 304. @throws ApiError */
  send(operation: Operation, input: Input): Promise<Answer | null>;
  /** The answer itself, its body still unread. @throws ApiError */
  open(operation: Operation, input: Input): Promise<Response>;
}

type Envelope = { readonly success: true; readonly data: unknown; readonly meta: Meta } | ({ readonly success: false } & FailureEnvelope); // prettier-ignore

/** Sends on behalf of one caller. */
export function createTransport(options: ClientOptions): Transport {
  const { baseUrl, apiKey, headers = {}, onAnswer = () => undefined } = options;
  // looked up at each call, and called as the browser wants it
  const { fetch = (url, init) => globalThis.fetch(url, init) } = options;
  const repeating = { ...REPEATING, ...given(options) };
  const own = { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers };

  async function once(operation: Operation, input: Input): Promise<Response> {
    const path = requestTarget(operation.path, input);
    const method = operation.method.toUpperCase();
    const { body, signal } = input;
    let answered: Response;
    try {
      answered = await fetch(baseUrl + path, {
        method,
        headers: { ...own, ...headersOf(operation, input) },
        ...(body !== undefined && {
          body: operation.isUpload === true ? (body as UploadInput) : JSON.stringify(body),
        }),
        ...(signal !== undefined && { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw unreachable({ method, path }, error);
    }
    onAnswer(answered);
    if (answered.ok || answered.status === 304) return answered;
    const retryAfter = answered.headers.get("retry-after");
    const request = { status: answered.status, method, path, retryAfter };
    const envelope = await envelopeOf(answered);
    throw envelope?.success === false ? new ApiError(request, envelope) : unreadable(request);
  }

  /** Sends until it is answered, or repeating has no point. @param use reads the answer: it may break off, too */
  async function sending<Result>(
    operation: Operation,
    input: Input,
    use: (answered: Response) => Promise<Result>,
  ): Promise<Result> {
    const keyed = withKey(operation, input, repeating);
    const isSafe = operation.method === "get" || (operation.takesKey === true && keyed.idempotencyKey !== undefined);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await use(await once(operation, keyed));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const waitMs = repeatAfterMs(error, isSafe, attempt, { ...repeating, chance: Math.random() });
        if (waitMs === null) throw error;
        await pause(waitMs, input.signal);
      }
    }
  }

  return {
    open: (operation, input) => sending(operation, input, (answered) => Promise.resolve(answered)),
    send: (operation, input) => sending(operation, input, (answered) => readAnswer(answered, operation, input)),
  };
}

/** Members that are undefined are as good as absent. */
function given({ retries, longestWaitSeconds }: Partial<Repeating>): Partial<Repeating> {
  return { ...(retries !== undefined && { retries }), ...(longestWaitSeconds !== undefined && { longestWaitSeconds }) };
}

/** A write that may be repeated has a name, the same in each repeat. */
function withKey(operation: Operation, input: Input, { retries }: Repeating): Input {
  if (operation.takesKey !== true || input.idempotencyKey !== undefined || retries === 0) return input;
  return { ...input, idempotencyKey: newKey() };
}

/** Random; `crypto.randomUUID` is not there on pages that came without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function headersOf({ bodyType = "application/json" }: Operation, input: Input): Record<string, string> {
  const { body, ifMatch, ifNoneMatch, idempotencyKey, comment, lastEventId } = input;
  return {
    ...(body !== undefined && { "content-type": bodyType }),
    ...(ifMatch !== undefined && { "if-match": ifMatch }),
    ...(ifNoneMatch !== undefined && { "if-none-match": ifNoneMatch }),
    ...(idempotencyKey !== undefined && { [IDEMPOTENCY_KEY]: idempotencyKey }),
    ...(comment !== undefined && { [CHANGE_COMMENT]: comment }),
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
  };
}

async function readAnswer(answered: Response, { method, path }: Operation, input: Input): Promise<Answer | null> {
  if (answered.status === 304) return null;
  const request = { method: method.toUpperCase(), path: requestTarget(path, input), status: answered.status };
  let text: string;
  try {
    text = input.onText === undefined ? await answered.text() : await textOf(answered, input.onText);
  } catch (error) {
    input.signal?.throwIfAborted();
    throw unreachable(request, error);
  }
  const envelope = parsed(text);
  if (envelope === null) throw unreadable(request);
  // A status that was sent before the fault was known.
  if (!envelope.success) throw new ApiError(request, envelope);
  return {
    data: envelope.data,
    etag: answered.headers.get("etag"),
    meta: envelope.meta,
    requestId: answered.headers.get("x-request-id") ?? "",
    isReplayed: answered.headers.get(IDEMPOTENCY_REPLAYED) === "true",
  };
}

async function envelopeOf(answered: Response): Promise<Envelope | null> {
  return parsed(await answered.text().catch(() => ""));
}

function parsed(text: string): Envelope | null {
  try {
    const value = JSON.parse(text) as Envelope | null;
    return typeof value === "object" && value !== null && "success" in value ? value : null;
  } catch {
    return null;
  }
}

async function textOf({ body }: Response, onText: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    text += decoder.decode(next.value, { stream: true });
    onText(text);
  }
  return text + decoder.decode();
}
