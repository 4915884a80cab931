import type { IncomingHttpHeaders } from "node:http";
import type { AnyEndpoint } from "@nts/shared/contract";
import { END_OF_LIST, INTERNAL } from "@nts/shared/http/headers";
import { STATUSES } from "@nts/shared/http/statuses";
import {
  FAILURE_PREFIX,
  FAILURE_START,
  failureSuffix,
  listSuffix,
  META_SUFFIX,
  problemPrefix,
  SUCCESS_PREFIX,
  SUCCESS_SUFFIX,
} from "../edge/envelope-text.js";
import { PROBLEM_TYPE } from "../edge/problem.js";
import type { ResponseHead } from "./transport.js";

// The text around a service's response: data for a success; for a failure, an object whose braces are replaced. Lists
// report totals in headers, or in a trailer if not counted beforehand. Files are unchanged.

/** The envelope of one response. */
export interface Envelope {
  readonly prefix: string;
  /** Bytes of the response to omit at its start and at its end. */
  readonly omit: readonly [start: number, end: number];
  /** Follows the response; requested at its end. Null if the response turns out unusable. */
  readonly suffix: (trailers: IncomingHttpHeaders) => string | null;
  /** Total bytes; null if the response's length is unknown. */
  readonly length: number | null;
  /** Its media type, if not that of the service's response. */
  readonly type?: string;
  /** The cursor of the next page, if the head says that there is one. */
  readonly next?: string | undefined;
}

/**
 * The envelope of a service's response; null if it is not a valid one.
 *
 * @param isProblem whether a failure is to be a problem
 */
export function envelopeOf(
  head: ResponseHead,
  endpoint: AnyEndpoint,
  { requestId, isProblem }: { readonly requestId: string; readonly isProblem: boolean },
): Envelope | null {
  const { status, headers } = head;
  const length = headers["content-length"] === undefined ? null : Number(headers["content-length"]);
  const isJson = headers["content-type"]?.startsWith("application/json") === true;
  if (status === 200 && (endpoint.isFile === true || !isJson))
    return isFile(headers, endpoint) ? envelope("", "", length) : null;
  if (!isJson) return null;
  if (status === 202 && endpoint.accepted !== undefined) return successEnvelope(headers, length);
  if (status === 200) return endpoint.list === true ? listEnvelope(headers, length) : successEnvelope(headers, length);
  if (status < 400 || length === null || length <= FAILURE_START.length || !isForCaller(head, endpoint)) return null;
  const suffix = failureSuffix(requestId);
  return isProblem
    ? { ...envelope(problemPrefix(status), suffix, length, [FAILURE_START.length, 1]), type: PROBLEM_TYPE }
    : envelope(FAILURE_PREFIX, suffix, length, [1, 1]);
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
  return envelope(SUCCESS_PREFIX, headers[INTERNAL.meta] === "open" ? META_SUFFIX : SUCCESS_SUFFIX, length);
}

function listEnvelope(headers: IncomingHttpHeaders, length: number | null): Envelope | null {
  const limit = wholeNumber(headers[INTERNAL.listLimit]);
  const offset = wholeNumber(headers[INTERNAL.listOffset]);
  if (limit === null || offset === null) return null;
  const total = wholeNumber(headers[INTERNAL.listTotal]);
  const next = nextIn(headers);
  const changes = cursorIn(headers[INTERNAL.changesCursor]);
  if (total !== null && (next !== undefined || length !== null))
    return {
      ...envelope(SUCCESS_PREFIX, listSuffix({ total, limit, offset, next, changes }), length),
      next: next ?? undefined,
    };
  return {
    prefix: SUCCESS_PREFIX,
    omit: NOTHING,
    length: null,
    suffix: (trailers) => {
      const counted = total ?? wholeNumber(trailers[INTERNAL.listTotal]);
      return counted === null ? null : listSuffix({ total: counted, limit, offset, next: nextIn(trailers), changes });
    },
  };
}

const NOTHING: Envelope["omit"] = [0, 0];

/** @param prefix and `suffix` are ASCII */
function envelope(prefix: string, suffix: string, length: number | null, omit = NOTHING): Envelope {
  const around = prefix.length + suffix.length - omit[0] - omit[1];
  return { prefix, omit, suffix: () => suffix, length: length === null ? null : length + around };
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
