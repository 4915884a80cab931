import { EVENT_STREAM } from "../contract/changes.js";

/** Where a page stands in its list. `limit` is the applied one. */
export interface PageInfo {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** The cursor of the next page; null or absent at the end. */
  readonly next?: string | null;
}

/** Where a list stands that is read while it is sent. */
export interface Paging {
  /** Counts what the list has; null when the parts tell it. */
  readonly total: (() => Promise<number>) | null;
  readonly limit: number;
  readonly offset: number;
  /** The cursor of the next page, once all parts have been read; null at the end. */
  readonly next?: () => string | null;
}

/** A part of the JSON text of a list: rows, or a piece of one, with a comma before each row. */
export interface ListPart {
  /** In UTF-8. */
  readonly text: Buffer;
  /** How many rows begin in it, or stand before the offset of the list and are left out. */
  readonly rows: number;
}

/** What a file is called, and of which type it is. */
export interface FileInfo {
  readonly mediaType: string;
  /** In letters, digits, dots and hyphens; null where the answer is not saved as a file. */
  readonly fileName: string | null;
}

interface Extras {
  /** Revision of a single object; becomes its `ETag`. */
  readonly revision?: number | string;
  /** Something in the answer moves without its revision, so that a revision that still holds does not make it a 304. */
  readonly volatile?: boolean;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/**
 * What a handler gives back. `data` and `items` go through the response schema of the operation, which drops what is
 * not in the contract; `json` and `list` are JSON texts that were made through it when they were stored. A list and
 * pieces are read only while they are sent.
 */
export type Answer<Data> =
  | ({ readonly kind: "data"; readonly data: Data } & Extras)
  | ({ readonly kind: "json"; readonly json: string | Buffer } & Extras)
  | ({ readonly kind: "items"; readonly items: readonly Data[]; readonly page: PageInfo } & Extras)
  | ({ readonly kind: "list"; readonly parts: AsyncIterable<ListPart>; readonly paging: Paging } & Extras)
  | ({ readonly kind: "redirect"; readonly location: string } & Extras)
  | ({ readonly kind: "pieces"; readonly pieces: Pieces; readonly file: FileInfo | null } & Extras);

/** A text that is sent while it is made. */
type Pieces = AsyncIterable<string | Buffer> | Iterable<string>;

/** Makers of answers. */
export const answer = {
  /** A value of the response schema. */
  data: <Data>(data: Data, extras: Extras = {}): Answer<Data> => ({ kind: "data", data, ...extras }),
  /** The JSON text of one entity. */
  json: (json: string | Buffer, extras: Extras = {}): Answer<never> => ({ kind: "json", json, ...extras }),
  /** Takes the browser elsewhere. */
  redirect: (location: string, extras: Extras = {}): Answer<never> => ({ kind: "redirect", location, ...extras }),
  /** A page of values. */
  items: <Data>(items: readonly Data[], page: PageInfo): Answer<Data> => ({ kind: "items", items, page }),
  /** A page, or all of a list, as JSON texts. */
  list: (parts: AsyncIterable<ListPart>, paging: Paging): Answer<never> => ({ kind: "list", parts, paging }),
  /** The JSON text of one value that is too large to be made at once. */
  jsonPieces: (pieces: Pieces, extras: Extras = {}): Answer<never> => ({
    kind: "pieces",
    pieces,
    file: null,
    ...extras,
  }),
  /** A text in another format, which users save as a file. Its media type is one of the operation's `files`. */
  file: (pieces: Pieces, file: FileInfo, extras: Extras = {}): Answer<never> => ({
    kind: "pieces",
    pieces,
    file,
    ...extras,
  }),
  /** Server-Sent Events, for as long as they come. */
  events: (pieces: Pieces): Answer<never> => ({
    kind: "pieces",
    pieces,
    file: { mediaType: EVENT_STREAM, fileName: null },
  }),
};
