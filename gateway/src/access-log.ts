import type { Log } from "@nts/shared/log";
import type { Metrics } from "@nts/shared/metrics";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { Exchange } from "./edge/exchange.js";

/** Notes how an exchange ends. */
export type AccessLog = (exchange: Exchange) => void;

/**
 * Makes the function that writes one line and counts one request when an answer has ended, or the client has gone before.
 * The path and its query are left out: what they name is the caller's business.
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
  const { request, response, requestId, startedAt, operationId, principal, clientAddress } = exchange;
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
      ...(principal === null ? {} : idsOf(principal)),
    },
    "request",
  );
}

function idsOf({ kind, credentialId, userId, scope }: UserPrincipal): Record<string, string> {
  return { organization_id: scope.organizationId, user_id: userId, [`${kind}_id`]: credentialId };
}
