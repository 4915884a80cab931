import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import type { Endpoint } from "../contract/endpoint.js";
import type { Log } from "../log.js";
import type { Metrics } from "../metrics.js";
import type { Tracing } from "../tracing/spans.js";
import { type ParentRequest, REQUEST_ID, TRACEPARENT } from "./headers.js";
import { methodName } from "./method-name.js";
import { idsOf, type Principal } from "./tenancy.js";

/** One observed request, until its response has ended. */
export interface Observation {
  readonly cause: ParentRequest;
  /** Members of every log line about the request. */
  readonly ids: { readonly request_id: string; readonly trace_id: string };
  /** The principal, once known. */
  principal: Principal | null;
}

export interface ObserverOptions {
  readonly log: Log;
  readonly tracing: Tracing;
  readonly observe?: Metrics["observeRequest"];
}

/**
 * Creates the observer of a service's requests, which counts them and ends their spans. It logs at `debug` only,
 * because the gateway logs every request.
 *
 * @returns the observation; `operation` is null if the request matched none
 */
export function createObserver({ log, tracing, observe }: ObserverOptions) {
  const lines = log.child({}, { redact: [] });
  return (request: IncomingMessage, response: ServerResponse, operation: Endpoint | null): Observation => {
    const started = performance.now();
    const requestId = String(request.headers[REQUEST_ID] ?? "");
    const span = tracing.begin(request.headers[TRACEPARENT] as string | undefined);
    const observation: Observation = {
      cause: { requestId, traceparent: span.traceparent },
      ids: { request_id: requestId, trace_id: span.traceId },
      principal: null,
    };
    response.once("close", () => {
      const ms = performance.now() - started;
      const operationId = operation?.operationId ?? "none";
      const { statusCode: status } = response;
      const method = methodName(request.method);
      const route = operation?.path ?? null;
      observe?.({ method, route, status }, ms / 1000);
      span.end({ requestId, operation: operationId, route, method, status });
      if (lines.isLevelEnabled("debug"))
        lines.debug(
          {
            ...observation.ids,
            ...{ operation: operationId, "http.request.method": method, "http.response.status_code": status },
            ...(route !== null && { "http.route": route }),
            duration_ms: Math.round(ms * 100) / 100,
            ...idsOf(observation.principal),
          },
          "request",
        );
    });
    return observation;
  };
}
