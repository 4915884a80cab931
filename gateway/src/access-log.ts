import { idsOf } from "@nts/shared/http/tenancy";
import type { Log } from "@nts/shared/log";
import type { Metrics } from "@nts/shared/metrics";
import type { Exchange } from "./edge/exchange.js";

/** Notes how an exchange ends. */
export type AccessLog = (exchange: Exchange) => void;

/**
 * Makes the function that writes one line, counts one request and ends its span when an answer has ended, or the client has
 * gone before. The path and its query are left out: what they name is the caller's business.
 */
export function createAccessLog(log: Log, metrics: Metrics): AccessLog {
  // The lines hold nothing but what is named below; searching them for secrets would cost as much as all the rest.
  const lines = log.child({}, { redact: [] });
  return (exchange) => {
    exchange.response.once("close", () => {
      write(exchange, lines, metrics);
    });
  };
}

function write(exchange: Exchange, log: Log, metrics: Metrics): void {
  const { request, response, requestId, startedAt, span, operationId, route, principal, clientAddress } = exchange;
  const { method = "" } = request;
  const { statusCode: status } = response;
  const durationMs = performance.now() - startedAt;
  metrics.observeRequest(operationId, status, durationMs / 1000);
  span.end({ requestId, operation: operationId, route, method, status });
  log.info(
    {
      request_id: requestId,
      trace_id: span.traceId,
      operation: operationId,
      ...(route === null ? {} : { route }),
      method,
      status,
      duration_ms: Math.round(durationMs * 100) / 100,
      client_address: clientAddress,
      ...(response.writableFinished ? {} : { aborted: true }),
      ...idsOf(principal),
    },
    "request",
  );
}
