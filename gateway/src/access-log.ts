import { idsOf } from "@nts/shared/http/tenancy";
import { createLines, type Log, type WriteLine } from "@nts/shared/log";
import type { Metrics } from "@nts/shared/metrics";
import type { Exchange } from "./edge/exchange.js";

/** Notes how an exchange ends. */
export type AccessLog = (exchange: Exchange) => void;

/**
 * Makes the function that writes one line, counts one request and ends its span when an answer has ended, or the client has
 * gone before. The path and its query are left out: what they name is the caller's business.
 */
export function createAccessLog(log: Log, metrics: Metrics): AccessLog {
  const write = createLines(log, "request");
  return (exchange) => {
    exchange.response.once("close", () => {
      record(exchange, write, metrics);
    });
  };
}

function record(exchange: Exchange, write: WriteLine, metrics: Metrics): void {
  const { request, response, requestId, startedAt, span, operationId, route, principal, clientAddress } = exchange;
  const { method = "" } = request;
  const { statusCode: status } = response;
  const durationMs = performance.now() - startedAt;
  metrics.observeRequest(operationId, status, durationMs / 1000);
  span.end({ requestId, operation: operationId, route, method, status });
  write({
    request_id: requestId,
    trace_id: span.traceId,
    operation: operationId,
    route: route ?? undefined,
    method,
    status,
    duration_ms: Math.round(durationMs * 100) / 100,
    client_address: clientAddress,
    aborted: response.writableFinished ? undefined : true,
    ...idsOf(principal),
  });
}
