import { STATUS_CODES } from "node:http";
import type { ErrorParams } from "@nts/shared/errors";
import { API_VERSION } from "@nts/shared/contract";
import { SERVER_VERSION } from "@nts/shared/version";

// The envelope as text around a JSON text, so that responses need not be parsed. @see docs/api.md "Conventions"

const VERSIONS = `"api_version":${API_VERSION},"server_version":${JSON.stringify(SERVER_VERSION)}`;
const META = `"meta":{${VERSIONS}`;

/** Precedes the data of a success. */
export const SUCCESS_PREFIX = `{"success":true,"data":`;

/** Follows the data of a success. */
export const SUCCESS_SUFFIX = `,${META}}}`;

/** Follows the data of a success that has started its own `meta`. */
export const META_SUFFIX = `,${VERSIONS}}}`;

/** The position of a page in its list. */
interface Page {
  readonly total: number;
  /** 0 for no limit. */
  readonly limit: number;
  readonly offset: number;
  /** The cursor of the next page; null at the end, undefined if unknown. */
  readonly next?: string | null | undefined;
  /** For a whole list: the cursor from which its changes follow. */
  readonly changes?: string | undefined;
}

/** Follows the data of a list. */
export function listSuffix({ total, limit, offset, next, changes }: Page): string {
  const hasMore = next === undefined ? limit !== 0 && offset + limit < total : next !== null;
  const pagination = { total_count: total, limit, offset, has_more: hasMore, ...(next && { next }) };
  const place = changes === undefined ? "" : `,"changes_cursor":"${changes}"`;
  return `,${META}${place},"pagination":${JSON.stringify(pagination)}}}`;
}

/** Precedes the members of a failure. */
export const FAILURE_PREFIX = `{"success":false,`;

/** How the JSON of a service's failure begins, before its sentence. */
export const FAILURE_START = `{"error":`;

/** Precedes the sentence of a failure as a problem; its remaining members follow. @see https://www.rfc-editor.org/rfc/rfc9457 */
export function problemPrefix(status: number): string {
  return `{"type":"about:blank","title":${JSON.stringify(STATUS_CODES[status] ?? "")},"status":${status},"detail":`;
}

/** Follows the members of a failure. */
export function failureSuffix(requestId: string): string {
  return `,${META},"request_id":"${requestId}"}}`;
}

interface Failure {
  readonly message: string;
  readonly code: string;
  readonly params: ErrorParams;
}

/** The complete text of a failure. */
export function failureText(error: Failure, requestId: string): string {
  return FAILURE_PREFIX + membersOf(error).slice(1, -1) + failureSuffix(requestId);
}

/** The complete text of a failure as a problem. */
export function problemText(error: Failure, status: number, requestId: string): string {
  return problemPrefix(status) + membersOf(error).slice(FAILURE_START.length, -1) + failureSuffix(requestId);
}

/** The same as of a service. */
function membersOf({ message, code, params }: Failure): string {
  return JSON.stringify({ error: message, code, params });
}

/** The complete text of a success. */
export function successText(data: unknown): string {
  return SUCCESS_PREFIX + JSON.stringify(data) + SUCCESS_SUFFIX;
}
