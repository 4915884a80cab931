import { ApiError } from "./api-error.js";
import { OPERATIONS } from "./contract.generated.js";
import { pagesOf } from "./pages.js";
import { type ApiResponse, type ClientOptions, type Conditions, createTransport, type Input } from "./transport.js";
import type { BodyOf, DataOf, ListId, OperationId, ParamsOf, Plan, QueryOf, RowOf } from "./types.js";
import { watch, type WatchEvent, type WatchOptions } from "./watch.js";

export { ApiError, type FailureCode } from "./api-error.js";
export type { ApiResponse, ClientOptions, Conditions, Meta } from "./transport.js";
export type * from "./types.js";
export type { Change, State, WatchEvent, WatchOptions } from "./watch.js";

type Given<Value, Name extends string> = [Value] extends [never] ? unknown : Readonly<Record<Name, Value>>;
type Offered<Value> = [Value] extends [never] ? unknown : { readonly query?: Value };
type Asked<Value> = [Value] extends [never] ? unknown : object extends Value ? Offered<Value> : Given<Value, "query">;

/** Parameters, query and body of a call, as far as the operation has them. */
export type InputOf<Name extends OperationId> = Given<ParamsOf<Name>, "params"> &
  Asked<QueryOf<Name>> &
  Given<BodyOf<Name>, "body"> &
  Conditions;

/** The input; optional if all its members are. */
type Rest<Value> = object extends Value ? [input?: Value] : [input: Value];

/** The entity to edit, and the options. */
export type EditOf<Read extends OperationId> = Given<ParamsOf<Read>, "params"> & Pick<Conditions, "comment" | "signal">;

/** The API for one caller. Every method throws {@link ApiError}, or the reason of an aborted signal. */
export interface Client {
  /** Returns the `data` of the response. */
  call<Name extends OperationId>(name: Name, ...input: Rest<InputOf<Name>>): Promise<DataOf<Name>>;
  /** Returns the data, ETag and metadata. */
  read<Name extends OperationId>(name: Name, ...input: Rest<InputOf<Name>>): Promise<ApiResponse<DataOf<Name>>>;
  /** Returns null if the entity still has this ETag. */
  readIfChanged<Name extends OperationId>(
    name: Name,
    etag: string,
    ...input: Rest<InputOf<Name>>
  ): Promise<ApiResponse<DataOf<Name>> | null>;
  /** Returns what a write would do without doing it. Pass its `etag` as `ifMatch` to make the write do exactly that. */
  plan<Name extends OperationId>(name: Name, ...input: Rest<InputOf<Name>>): Promise<Plan>;
  /**
   * Reads an entity, changes it, and writes it on condition that it is unmodified; retries conflicts up to five times.
   *
   * @param change computes the request body from the current state
   */
  edit<Read extends OperationId, Write extends OperationId>(
    read: Read,
    write: Write,
    input: EditOf<Read>,
    change: (data: DataOf<Read>) => BodyOf<Write>,
  ): Promise<DataOf<Write>>;
  /** Iterates over the pages of a list. */
  pages<Name extends ListId>(name: Name, ...input: Rest<InputOf<Name>>): AsyncGenerator<RowOf<Name>[], void, void>;
  /** Iterates over the rows of a list, fetching pages as needed. */
  rows<Name extends ListId>(name: Name, ...input: Rest<InputOf<Name>>): AsyncGenerator<RowOf<Name>, void, void>;
  /** Returns the raw response, for operations that return files. */
  file<Name extends OperationId>(name: Name, ...input: Rest<InputOf<Name>>): Promise<Response>;
  /** Iterates over changes as they happen, until aborted; resumes broken connections. */
  watch(options?: WatchOptions): AsyncGenerator<WatchEvent, void, void>;
}

const MOST_EDITS = 5;

/** Creates a client for one caller: with an API key, or with the browser's session. */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);

  async function send<Name extends OperationId>(
    name: Name,
    input: Input = {},
  ): Promise<ApiResponse<DataOf<Name>> | null> {
    return (await transport.send(OPERATIONS[name], input)) as ApiResponse<DataOf<Name>> | null;
  }
  async function read<Name extends OperationId>(name: Name, input: Input = {}): Promise<ApiResponse<DataOf<Name>>> {
    // Without If-None-Match there is no 304.
    return (await send(name, input)) as ApiResponse<DataOf<Name>>;
  }
  const pages = <Name extends ListId>(name: Name, input: Input = {}) =>
    pagesOf<RowOf<Name>>(transport, OPERATIONS[name], input);

  return {
    call: async (name, ...[input]) => (await read(name, input)).data,
    read: (name, ...[input]) => read(name, input),
    readIfChanged: (name, etag, ...[input]) => send(name, { ...(input as Input), ifNoneMatch: etag }),
    plan: async (name, ...[input]) => (await read(name, tried(input))).meta.plan,
    edit: async (readName, writeName, input, change) => {
      for (let edits = 1; ; edits += 1) {
        const { data, etag } = await read(readName, input);
        const body = change(data);
        try {
          return (await read(writeName, { ...(input as Input), body, ...(etag !== null && { ifMatch: etag }) })).data;
        } catch (error) {
          if (!(error instanceof ApiError && error.status === 412) || edits === MOST_EDITS) throw error;
        }
      }
    },
    pages: (name, ...[input]) => pages(name, input),
    rows: async function* (name, ...[input]) {
      for await (const rows of pages(name, input)) yield* rows;
    },
    file: (name, ...[input]) => transport.open(OPERATIONS[name], input ?? {}),
    watch: (asked = {}) => watch(transport, asked),
  };
}

function tried(input: Input = {}): Input {
  return { ...input, query: { ...(input.query as object | undefined), dry_run: true } };
}
