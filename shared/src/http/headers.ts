/** Headers between our own processes. The gateway removes them from requests and responses. */
export const INTERNAL = {
  /** The signed principal. */
  tenancy: "x-tenancy",
  /** Address of the client. */
  clientAddress: "x-client-address",
  /** Comma-separated hashes of the browser's session cookies, for operations that end sessions. */
  sessionHashes: "x-session-hashes",
  /** Comma-separated hashes of the cookies that bind a provider sign-in to its browser. */
  browserHashes: "x-browser-hashes",
  /** Number of matches of a list query; a header for a page, a trailer for a stream. */
  listTotal: "x-list-total",
  listLimit: "x-list-limit",
  listOffset: "x-list-offset",
  /** `open`: members of `meta` follow the data, as `,"meta":{…` without the end. */
  meta: "x-answer-meta",
  /** The cursor of the next page, or {@link END_OF_LIST}; a header, or a trailer if only known at the end. */
  listNext: "x-list-next",
  /** For a whole list: the changes cursor from which all changes missing from the list follow. */
  changesCursor: "x-changes-cursor",
} as const;

/** Distinct from every cursor. */
export const END_OF_LIST = "end";

/** The preference for a job instead of a response that waits. @see https://www.rfc-editor.org/rfc/rfc7240 */
export const RESPOND_ASYNC = "respond-async";

/** Set by the gateway on every request and response. */
export const REQUEST_ID = "x-request-id";

/** Trace context. @see https://www.w3.org/TR/trace-context/ */
export const TRACEPARENT = "traceparent";
export const TRACESTATE = "tracestate";

/** The request on whose behalf another one is made. */
export interface ParentRequest {
  readonly requestId: string;
  readonly traceparent: string;
}

/** `www-authenticate` of a rejected tenancy header, to distinguish it from a rejected password. */
export const TENANCY_CHALLENGE = "Tenancy";

/** Maximum header bytes of internal servers: the gateway's maximum plus a tenancy header with 1,000 networks. */
export const INTERNAL_HEADER_LIMIT_BYTES = 98_304;

/** Maximum bytes of a request body. */
export const BODY_LIMIT_BYTES = 1_048_576;
