import { methodName } from "@nts/shared/http/method-name";
import { idsOf, type Principal } from "@nts/shared/http/tenancy";
import { createLines, type Log } from "@nts/shared/log";
import type { Metrics } from "@nts/shared/metrics";
import type { Exchange } from "./edge/exchange.js";

/** Records the outcome of an exchange. */
export type AccessLog = (exchange: Exchange) => void;

/**
 * Creates a function that logs a line, counts the request and ends its span once the response or the connection has
 * ended. Path and query are omitted, because they contain the caller's data.
 */
export function createAccessLog(log: Log, metrics: Metrics): AccessLog {
  const write = createLines(log, "request");
  return (exchange) => {
    const { request, requestId, startedAt, span, operationId, route, status } = exchange;
    const method = methodName(request.method);
    const durationMs = performance.now() - startedAt;
    metrics.observeRequest({ method, route, status }, durationMs / 1000);
    span.end({ requestId, operation: operationId, route, method, status });
    write(membersOf(exchange, durationMs));
  };
}

/**
 * The members of a line as text, so that those of a caller are made once. They are ids, addresses, numbers, and names of
 * the contract, in which JSON escapes nothing.
 */
export function membersOf(exchange: Exchange, durationMs: number): string {
  const { request, requestId, clientRequestId, span, operationId, route, status, clientAddress, principal } = exchange;
  return (
    `"request_id":"${requestId}","trace_id":"${span.traceId}","operation":"${operationId}",` +
    (route === null ? "" : `"http.route":"${route}",`) +
    `"http.request.method":"${methodName(request.method)}","http.response.status_code":${status},` +
    `"duration_ms":${Math.round(durationMs * 100) / 100},"client.address":"${clientAddress}"` +
    (clientRequestId === null ? "" : `,"client_request_id":"${clientRequestId}"`) +
    (exchange.isDelivered ? "" : ',"aborted":true') +
    (principal === null ? "" : idMembersOf(principal))
  );
}

/** Of callers that are still remembered. */
const idMembers = new WeakMap<Principal, string>();

function idMembersOf(principal: Principal): string {
  const known = idMembers.get(principal);
  if (known !== undefined) return known;
  const text = Object.entries(idsOf(principal))
    .map(([name, id]) => `,"${name}":"${id}"`)
    .join("");
  idMembers.set(principal, text);
  return text;
}
