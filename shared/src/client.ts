import type { Pagination, Plan } from "@nts/client";
import { pagesOf } from "@nts/client/pages";
import {
  type ApiResponse,
  type ClientOptions,
  type Conditions,
  createTransport,
  type Operation,
} from "@nts/client/transport";
import type { BodyInputOf, DataOf, Endpoint, ParamsOf, QueryInputOf } from "./contract/endpoint.js";
import type { ImportJob } from "./contract/import-job.js";
import { takesIdempotencyKey } from "./contract/writes.js";
import { bodyTypesOf, type UploadInput } from "./contract/upload.js";

// The client for our own programs, typed by the operations of the contract: `client.call(getService, { params: { id }
// })`. `@nts/client` has names and types from the OpenAPI document instead.

export { ApiError, type FailureCode } from "@nts/client/api-error";
export type { Pagination } from "@nts/client";
export type { ClientOptions } from "@nts/client/transport";

type Given<Value, Name extends string> = string extends keyof Value ? unknown : Record<Name, Value>;

/** Parameters, query and body of a call, as far as the operation has them. */
export type Input<E extends Endpoint> = Given<ParamsOf<E>, "params"> & {
  readonly query?: QueryInputOf<E>;
} & Conditions &
  (undefined extends BodyInputOf<E> ? unknown : { readonly body: BodyInputOf<E> });

/** A page of the journal. */
export interface ChangesPage<Data> {
  readonly data: Data;
  /** The cursor to continue from; null at the end. */
  readonly next: string | null;
  /** The cursor after which everything is retained; absent in the history of one entity. */
  readonly oldest?: string;
}

/** A job, as far as it is known of any. */
export type StartedJob = Pick<ImportJob, "id" | "state">;

export interface Client {
  /** @throws ApiError for every failure */
  call<E extends Endpoint>(operation: E, input: Input<E>): Promise<DataOf<E>>;
  /** Starts an import as a job, whose end {@link followJob} waits for. A large file is sent as gzip. @throws ApiError */
  start<E extends Endpoint>(operation: E, input: Input<E>): Promise<ImportJob>;
  /** Asks for a job where the response would take long. @returns that, or what is done at once @throws ApiError */
  startIfLong<E extends Endpoint>(operation: E, input: Input<E>): Promise<DataOf<E> | StartedJob>;
  /** Returns the data with its ETag, to be sent back as `ifMatch`. @throws ApiError */
  read<E extends Endpoint>(operation: E, input: Input<E>): Promise<{ data: DataOf<E>; etag: string | null }>;
  /** Returns what a write would do without doing it. @throws ApiError */
  plan<E extends Endpoint>(operation: E, input: Input<E>): Promise<Plan>;
  /** Returns one page of a list. @throws ApiError */
  list<E extends Endpoint>(operation: E, input: Input<E>): Promise<{ data: DataOf<E>[]; pagination: Pagination }>;
  /** Returns one page of the journal. @throws ApiError */
  changes<E extends Endpoint>(operation: E, input: Input<E>): Promise<ChangesPage<DataOf<E>>>;
  /** Iterates over the pages of a list by their cursors. @throws ApiError */
  pages<E extends Endpoint>(operation: E, input: Input<E>): AsyncGenerator<DataOf<E>[], void, void>;
}

/** The properties of an operation needed to send requests. */
export function operationOf(endpoint: Endpoint): Operation {
  return {
    method: endpoint.method,
    path: endpoint.path,
    takesKey: takesIdempotencyKey(endpoint),
    bodyType: bodyTypesOf(endpoint)[0],
    isUpload: endpoint.upload !== undefined,
  };
}

/** Bytes from which a file is worth compressing. */
const LARGE_FILE_BYTES = 1_048_576;

async function withCompressed(input: object): Promise<object> {
  const { body } = input as { readonly body?: UploadInput };
  if (body === undefined) return input;
  const file = body instanceof Blob ? body : new Blob([body]);
  if (file.size < LARGE_FILE_BYTES || (await isGzip(file))) return input;
  return { ...input, body: await new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob() };
}

async function isGzip(file: Blob): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** Creates a client for one caller. */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  // Without If-None-Match there is no 304.
  const send = async (operation: Endpoint, input: object): Promise<ApiResponse> =>
    (await transport.send(operationOf(operation), input)) as ApiResponse;
  return {
    call: async <E extends Endpoint>(operation: E, input: Input<E>) => (await send(operation, input)).data as DataOf<E>,
    start: async <E extends Endpoint>(operation: E, input: Input<E>) =>
      (await send(operation, { ...(await withCompressed(input)), asJob: true })).data as ImportJob,
    // Without an idempotency key, whose response would have to be complete within seconds.
    startIfLong: async <E extends Endpoint>(operation: E, input: Input<E>) =>
      ((await transport.send({ ...operationOf(operation), takesKey: false }, { ...input, asJob: true })) as ApiResponse)
        .data as DataOf<E> | StartedJob,
    read: async <E extends Endpoint>(operation: E, input: Input<E>) => {
      const { data, etag } = await send(operation, input);
      return { data: data as DataOf<E>, etag };
    },
    plan: async <E extends Endpoint>(operation: E, input: Input<E>) => {
      const query = { ...input.query, dry_run: true };
      return (await send(operation, { ...input, query })).meta.plan;
    },
    list: async <E extends Endpoint>(operation: E, input: Input<E>) => {
      const { data, meta } = await send(operation, input);
      return { data: data as DataOf<E>[], pagination: meta.pagination };
    },
    changes: async <E extends Endpoint>(operation: E, input: Input<E>) => {
      const { data, meta } = await send(operation, input);
      const { next, oldest } = meta;
      return { data: data as DataOf<E>, next, ...(oldest !== undefined && { oldest }) };
    },
    pages: <E extends Endpoint>(operation: E, input: Input<E>) =>
      pagesOf<DataOf<E>>(transport, operationOf(operation), input),
  };
}
