import { idsOf } from "@nts/shared/http/tenancy";
import { createLines, type Log } from "@nts/shared/log";
import type { Metrics } from "@nts/shared/metrics";
import type { Exchange } from "./edge/exchange.js";

/** Notes how an exchange has ended. */
export type AccessLog = (exchange: Exchange) => void;

/**
 * Makes the function that writes one line, counts one request and ends its span when an answer has ended, or the client has
 * gone before. The path and its query are left out: what they name is the caller's business.
 */
export function createAccessLog(log: Log, metrics: Metrics): AccessLog {
  const write = createLines(log, "request");
  return (exchange) => {
    const { request, requestId, startedAt, span, operationId, route, status } = exchange;
    const { method = "" } = request;
    const durationMs = performance.now() - startedAt;
    metrics.observeRequest(operationId, status, durationMs / 1000);
    span.end({ requestId, operation: operationId, route, method, status });
    write(membersOf(exchange, durationMs));
  };
}

function membersOf(exchange: Exchange, durationMs: number): Record<string, unknown> {
  const { request, requestId, span, operationId, route, status, clientAddress, principal } = exchange;
  return {
    request_id: requestId,
    trace_id: span.traceId,
    operation: operationId,
    ...(route !== null && { route }),
    method: request.method,
    status,
    duration_ms: Math.round(durationMs * 100) / 100,
    client_address: clientAddress,
    ...(!exchange.isDelivered && { aborted: true }),
    ...idsOf(principal),
  };
}
