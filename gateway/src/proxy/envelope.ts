import type { IncomingHttpHeaders } from "node:http";
import type { AnyEndpoint } from "@nts/shared/contract";
import { END_OF_LIST, INTERNAL } from "@nts/shared/http/headers";
import { STATUSES } from "@nts/shared/http/statuses";
import {
  FAILURE_PREFIX,
  failureSuffix,
  listSuffix,
  META_SUFFIX,
  SUCCESS_PREFIX,
  SUCCESS_SUFFIX,
} from "../edge/envelope-text.js";
import type { ResponseHead } from "./transport.js";

// The text around a service's response: data for a success; for a failure, an object whose braces are replaced. Lists
// report totals in headers, or in a trailer if not counted beforehand. Files are unchanged.

/** The envelope of one response. */
export interface Envelope {
  readonly prefix: string;
  /** Bytes of the response to omit at each end. */
  readonly trim: 0 | 1;
  /** Follows the response; requested at its end. Null if the response turns out unusable. */
  readonly suffix: (trailers: IncomingHttpHeaders) => string | null;
  /** Total bytes; null if the response's length is unknown. */
  readonly length: number | null;
}

/** The envelope of a service's response; null if it is not a valid one. */
export function envelopeOf(head: ResponseHead, endpoint: AnyEndpoint, requestId: string): Envelope | null {
  const { status, headers } = head;
  const length = headers["content-length"] === undefined ? null : Number(headers["content-length"]);
  const isJson = headers["content-type"]?.startsWith("application/json") === true;
  if (status === 200 && (endpoint.isFile === true || !isJson))
    return isFile(headers, endpoint) ? envelope("", 0, "", length) : null;
  if (!isJson) return null;
  if (status === 202 && endpoint.accepted !== undefined) return successEnvelope(headers, length);
  if (status === 200) return endpoint.list === true ? listEnvelope(headers, length) : successEnvelope(headers, length);
  return status >= 400 && length !== null && length > 2 && isForCaller(head, endpoint)
    ? envelope(FAILURE_PREFIX, 1, failureSuffix(requestId), length)
    : null;
}

function isFile({ "content-type": type = "" }: IncomingHttpHeaders, { files = [] }: AnyEndpoint): boolean {
  return files.includes(type.replace(/;.*$/, ""));
}

/**
 * A 401 that the operation does not declare, or that concerns the tenancy header, is a fault between us and the
 * service.
 */
function isForCaller({ status, headers }: ResponseHead, { errors }: AnyEndpoint): boolean {
  return (
    status !== 401 || (headers["www-authenticate"] === undefined && errors.some((code) => STATUSES[code] === status))
  );
}

function successEnvelope(headers: IncomingHttpHeaders, length: number | null): Envelope {
  return envelope(SUCCESS_PREFIX, 0, headers[INTERNAL.meta] === "open" ? META_SUFFIX : SUCCESS_SUFFIX, length);
}

function listEnvelope(headers: IncomingHttpHeaders, length: number | null): Envelope | null {
  const limit = wholeNumber(headers[INTERNAL.listLimit]);
  const offset = wholeNumber(headers[INTERNAL.listOffset]);
  if (limit === null || offset === null) return null;
  const total = wholeNumber(headers[INTERNAL.listTotal]);
  const next = nextIn(headers);
  const changes = cursorIn(headers[INTERNAL.changesCursor]);
  if (total !== null && (next !== undefined || length !== null))
    return envelope(SUCCESS_PREFIX, 0, listSuffix({ total, limit, offset, next, changes }), length);
  return {
    prefix: SUCCESS_PREFIX,
    trim: 0,
    length: null,
    suffix: (trailers) => {
      const counted = total ?? wholeNumber(trailers[INTERNAL.listTotal]);
      return counted === null ? null : listSuffix({ total: counted, limit, offset, next: nextIn(trailers), changes });
    },
  };
}

/** @param prefix and `suffix` are ASCII */
function envelope(prefix: string, trim: 0 | 1, suffix: string, length: number | null): Envelope {
  const around = prefix.length + suffix.length - 2 * trim;
  return { prefix, trim, suffix: () => suffix, length: length === null ? null : length + around };
}

/** The cursor of the next page; null at the end, undefined if it is not among these headers. */
function nextIn({ [INTERNAL.listNext]: value }: IncomingHttpHeaders): string | null | undefined {
  const next = cursorIn(value);
  return next === END_OF_LIST ? null : next;
}

function cursorIn(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" && /^[\w-]+$/.test(value) ? value : undefined;
}

function wholeNumber(value: string | string[] | undefined): number | null {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : null;
}
