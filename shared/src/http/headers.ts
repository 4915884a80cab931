/** Headers between our own processes; a client's are dropped at the gateway, and none of these leaves it. */
export const INTERNAL = {
  /** The caller, signed. */
  tenancy: "x-tenancy",
  /** The address the client came from. */
  clientAddress: "x-client-address",
  /** Hashes of the session cookies that the browser sent, comma-separated, for operations that end them. */
  sessionHashes: "x-session-hashes",
  /** Hashes of the cookies that bind a sign-in by a provider to its browser, comma-separated. */
  browserHashes: "x-browser-hashes",
  /** Entities that match the list query; a header for a page, a trailer for a stream. */
  listTotal: "x-list-total",
  listLimit: "x-list-limit",
  listOffset: "x-list-offset",
  /** `open`: members of `meta` follow the data, as `,"meta":{…` without the end. */
  meta: "x-answer-meta",
  /** The cursor of the next page, or {@link END_OF_LIST}; a header, or a trailer where it is not known beforehand. */
  listNext: "x-list-next",
  /** Of a whole list: the cursor of changes from which on everything is told that is not in it. */
  changesCursor: "x-changes-cursor",
} as const;

/** No cursor looks like it. */
export const END_OF_LIST = "end";

/** Set by the gateway on every request and answer. */
export const REQUEST_ID = "x-request-id";

/** The place in a distributed trace, and what its vendors add to it. @see https://www.w3.org/TR/trace-context/ */
export const TRACEPARENT = "traceparent";
export const TRACESTATE = "tracestate";

/** The request on whose behalf another one is made. */
export interface Cause {
  readonly requestId: string;
  readonly traceparent: string;
}

/** `www-authenticate` of an answer that refuses the tenancy header, to tell it from a refused password. */
export const TENANCY_CHALLENGE = "Tenancy";

/** Bytes of headers that internal servers accept: what the gateway accepts and a tenancy header with 1,000 networks fit. */
export const INTERNAL_HEADER_LIMIT_BYTES = 98_304;

/** Bytes of a request body, everywhere. */
export const BODY_LIMIT_BYTES = 1_048_576;
