import type { Pagination, Plan } from "@nts/client";
import { pagesOf } from "@nts/client/pages";
import {
  type Answer,
  type ClientOptions,
  type Conditions,
  createTransport,
  type Operation,
} from "@nts/client/transport";
import type { BodyInputOf, DataOf, Endpoint, ParamsOf, QueryInputOf } from "./contract/endpoint.js";
import { takesIdempotencyKey } from "./contract/writes.js";
import { bodyTypesOf } from "./contract/upload.js";

// The client as our own programs use it: by the operations of the contract and their types, where `@nts/client` has names
// and types that are made from the OpenAPI document: `client.call(getService, { params: { id } })`.

export { ApiError, type FailureCode } from "@nts/client/api-error";
export type { Pagination } from "@nts/client";
export type { ClientOptions } from "@nts/client/transport";

type Given<Value, Name extends string> = string extends keyof Value ? unknown : Record<Name, Value>;

/** Parameters, query and body of a call; each is asked for only where the operation has it. */
export type Input<E extends Endpoint> = Given<ParamsOf<E>, "params"> & {
  readonly query?: QueryInputOf<E>;
} & Conditions &
  (undefined extends BodyInputOf<E> ? unknown : { readonly body: BodyInputOf<E> });

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

/** What a request needs to know of an operation. */
export function operationOf(endpoint: Endpoint): Operation {
  return {
    method: endpoint.method,
    path: endpoint.path,
    takesKey: takesIdempotencyKey(endpoint),
    bodyType: bodyTypesOf(endpoint)[0],
    isUpload: endpoint.upload !== undefined,
  };
}

/** A client of one caller. */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  // Without If-None-Match there is no 304.
  const send = async (operation: Endpoint, input: object): Promise<Answer> =>
    (await transport.send(operationOf(operation), input)) as Answer;
  return {
    call: async <E extends Endpoint>(operation: E, input: Input<E>) => (await send(operation, input)).data as DataOf<E>,
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
