/** Where a page stands in its list. `limit` is the applied one. */
export interface PageInfo {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** What a file is called, and of which type it is. */
export interface FileInfo {
  readonly mediaType: string;
  /** In letters, digits, dots and hyphens. */
  readonly fileName: string;
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
 * not in the contract; `json` and `rows` are JSON texts that were made through it when they were stored, rows in UTF-8
 * as they came from the database.
 */
export type Answer<Data> =
  | ({ readonly kind: "data"; readonly data: Data } & Extras)
  | ({ readonly kind: "json"; readonly json: string } & Extras)
  | ({ readonly kind: "items"; readonly items: readonly Data[]; readonly page: PageInfo } & Extras)
  | ({ readonly kind: "rows"; readonly rows: readonly Buffer[]; readonly page: PageInfo } & Extras)
  | ({ readonly kind: "stream"; readonly batches: AsyncIterable<readonly Buffer[]>; readonly offset: number } & Extras)
  | ({ readonly kind: "pieces"; readonly pieces: Pieces; readonly file: FileInfo | null } & Extras);

/** A text that is sent while it is made. */
type Pieces = AsyncIterable<string> | Iterable<string>;

/** Makers of answers. */
export const answer = {
  /** A value of the response schema. */
  data: <Data>(data: Data, extras: Extras = {}): Answer<Data> => ({ kind: "data", data, ...extras }),
  /** The JSON text of one entity. */
  json: (json: string, extras: Extras = {}): Answer<never> => ({ kind: "json", json, ...extras }),
  /** A page of values. */
  items: <Data>(items: readonly Data[], page: PageInfo): Answer<Data> => ({ kind: "items", items, page }),
  /** A page of JSON texts. */
  rows: (rows: readonly Buffer[], page: PageInfo): Answer<never> => ({ kind: "rows", rows, page }),
  /** All of a list as batches of JSON texts. Those before `offset` are not sent, and count in the total. */
  stream: (batches: AsyncIterable<readonly Buffer[]>, offset: number): Answer<never> => ({
    kind: "stream",
    batches,
    offset,
  }),
  /** The JSON text of one value that is too large to be made at once. */
  jsonPieces: (pieces: Pieces): Answer<never> => ({ kind: "pieces", pieces, file: null }),
  /** A text in another format, which users save as a file. Its media type is one of the operation's `files`. */
  file: (pieces: Pieces, file: FileInfo): Answer<never> => ({ kind: "pieces", pieces, file }),
};
