import { EVENT_STREAM } from "../contract/changes.js";

/** Pagination of a list that is read while it is sent. */
export interface Paging {
  /** Counts the matches; null if the parts include the total. */
  readonly total: (() => Promise<number>) | null;
  readonly limit: number;
  readonly offset: number;
  /** The cursor of the next page, known after all parts were read; null at the end. */
  readonly next?: () => string | null;
}

/** A part of a list's JSON text: rows or a piece of one, with a comma before each row. */
export interface ListPart {
  /** In UTF-8. */
  readonly text: Buffer;
  /** The number of rows that start in it, or of rows skipped by the offset. */
  readonly rows: number;
}

/** Name and type of a file. */
export interface FileInfo {
  readonly mediaType: string;
  /** Letters, digits, dots and hyphens; null if the response is not saved as a file. */
  readonly fileName: string | null;
}

interface Extras {
  /** Revision of a single object; becomes the `ETag`. */
  readonly revision?: number | string;
  /** Part of the response changes without its revision, so an equal revision does not make it a 304. */
  readonly volatile?: boolean;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/**
 * The result of a handler. `data` is filtered through the response schema; `json` and `list` are JSON texts of nothing
 * but what clients may see.
 */
export type HandlerResponse<Data> =
  | ({ readonly kind: "data"; readonly data: Data } & Extras)
  | ({ readonly kind: "json"; readonly json: string | Buffer } & Extras)
  | ({ readonly kind: "list"; readonly parts: AsyncIterable<ListPart>; readonly paging: Paging } & Extras)
  | ({ readonly kind: "redirect"; readonly location: string } & Extras)
  | ({ readonly kind: "accepted"; readonly job: unknown; readonly location: string } & Extras)
  | ({ readonly kind: "pieces"; readonly pieces: Pieces; readonly file: FileInfo | null } & Extras);

/** A text that is generated while it is sent. */
type Pieces = AsyncIterable<string | Buffer> | Iterable<string>;

/** Constructors of responses. */
export const respond = {
  /** A value of the response schema. */
  data: <Data>(data: Data, extras: Extras = {}): HandlerResponse<Data> => ({ kind: "data", data, ...extras }),
  /** The JSON text of one entity. */
  json: (json: string | Buffer, extras: Extras = {}): HandlerResponse<never> => ({ kind: "json", json, ...extras }),
  /** Redirects the browser. */
  redirect: (location: string, extras: Extras = {}): HandlerResponse<never> => ({
    kind: "redirect",
    location,
    ...extras,
  }),
  /** The job of an operation that goes on, read at the location. */
  accepted: (job: object, location: string): HandlerResponse<never> => ({ kind: "accepted", job, location }),
  /** A page or a whole list of JSON texts. */
  list: (parts: AsyncIterable<ListPart>, paging: Paging): HandlerResponse<never> => ({ kind: "list", parts, paging }),
  /** The JSON text of a value too large to be built at once. */
  jsonPieces: (pieces: Pieces, extras: Extras = {}): HandlerResponse<never> => ({
    kind: "pieces",
    pieces,
    file: null,
    ...extras,
  }),
  /** A file in another format. Its media type is one of the operation's `files`. */
  file: (pieces: Pieces, file: FileInfo, extras: Extras = {}): HandlerResponse<never> => ({
    kind: "pieces",
    pieces,
    file,
    ...extras,
  }),
  /** Server-Sent Events. */
  events: (pieces: Pieces): HandlerResponse<never> => ({
    kind: "pieces",
    pieces,
    file: { mediaType: EVENT_STREAM, fileName: null },
  }),
};
