import type { Log } from "@nts/shared/log";
import type { Metrics } from "@nts/shared/metrics";
import type { Exchange } from "./edge/exchange.js";

/**
 * Writes one line and counts one request when the answer has ended, or the client has gone before. The path and its query
 * are left out: what they name is the caller's business.
 */
export function recordExchange(exchange: Exchange, log: Log, metrics: Metrics): void {
  const { request, response, requestId, startedAt } = exchange;
  response.once("close", () => {
    const { operationId, principal, clientAddress } = exchange;
    const durationMs = performance.now() - startedAt;
    metrics.observeRequest(operationId, response.statusCode, durationMs / 1000);
    log.info(
      {
        request_id: requestId,
        operation: operationId,
        method: request.method,
        status: response.statusCode,
        duration_ms: Math.round(durationMs * 100) / 100,
        client_address: clientAddress,
        ...(response.writableFinished ? {} : { aborted: true }),
        ...(principal === null || principal.kind === "anonymous" || principal.kind === "process"
          ? {}
          : {
              organization_id: principal.scope.organizationId,
              user_id: principal.userId,
              [`${principal.kind}_id`]: principal.credentialId,
            }),
      },
      "request",
    );
  });
}
