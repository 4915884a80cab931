import { STATUS_CODES } from "node:http";
import { AppError } from "@nts/shared/errors";
import { RESPONSE_REQUEST_ID, JSON_FIELDS } from "./response-headers.js";
import { failureText } from "./envelope-text.js";
import type { HeaderList } from "./header-list.js";
import { newRequestId } from "./request-id.js";

/** Node's error for bytes that it cannot parse, or not in time. */
export type ClientError = Error & { readonly code?: string };

/** True for timeouts. */
export function isTooSlow({ code }: ClientError): boolean {
  return code === "ERR_HTTP_REQUEST_TIMEOUT";
}

/** The status for what Node could not parse, or not in time. */
export function statusOf(error: ClientError): 400 | 408 | 431 {
  if (error.code === "HPE_HEADER_OVERFLOW") return 431;
  return isTooSlow(error) ? 408 : 400;
}

/** The response to bytes that are no HTTP request, for which Node creates neither request nor response. */
export function malformedText(error: ClientError, more: HeaderList): string {
  const requestId = newRequestId();
  const text = failureText(new AppError("malformed_request"), requestId);
  const status = statusOf(error);
  const fields = JSON_FIELDS.copy()
    .addAll(more)
    .add(RESPONSE_REQUEST_ID, requestId)
    .add("Date", new Date().toUTCString())
    .add("Content-Length", Buffer.byteLength(text))
    .add("Connection", "close");
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${fields.toText()}\r\n${text}`;
}
