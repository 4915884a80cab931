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

/** Follows the members of a failure. */
export function failureSuffix(requestId: string): string {
  return `,${META},"request_id":"${requestId}"}}`;
}

/** The complete text of a failure. */
export function failureText(error: { message: string; code: string; params: ErrorParams }, requestId: string): string {
  const members = JSON.stringify({ error: error.message, code: error.code, params: error.params });
  return FAILURE_PREFIX + members.slice(1, -1) + failureSuffix(requestId);
}

/** The complete text of a success. */
export function successText(data: unknown): string {
  return SUCCESS_PREFIX + JSON.stringify(data) + SUCCESS_SUFFIX;
}
