import { diag, DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { waitAtMost } from "../lifecycle.js";
import type { Log } from "../log.js";
import { SERVER_VERSION } from "../version.js";
import { readTraceparent, writeTraceparent } from "./trace-context.js";
import type { Span, Tracing, TracingOptions } from "./spans.js";

// Loaded only if spans are recorded. There is no auto-instrumentation: each process creates one span per request,
// linked to the others by the forwarded header.

const FLUSH_MS = 1_000;
const TELL_EVERY_MS = 60_000;

/** Tracing that exports spans in batches; rejected ones are dropped. */
export function createRecording(options: TracingOptions & { readonly endpoint: string }): Tracing {
  const { processName, endpoint, share, log } = options;
  logFaults(log);
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: 5_000 });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        "service.namespace": "nts",
        "service.name": processName,
        "service.version": SERVER_VERSION,
        "process.pid": process.pid,
      }),
    ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })],
  });
  const tracer = provider.getTracer("nts", SERVER_VERSION);

  return {
    begin: (traceparent) => {
      const parent = readTraceparent(traceparent);
      const context =
        parent === null
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, {
              traceId: parent.traceId,
              spanId: parent.spanId,
              traceFlags: parent.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
              isRemote: true,
            });
      const span = tracer.startSpan("request", { kind: SpanKind.SERVER }, context);
      const { traceId, spanId, traceFlags } = span.spanContext();
      const end: Span["end"] = ({ requestId, operation, route, method, status }) => {
        span.updateName(`${method === "_OTHER" ? "HTTP" : method} ${route ?? ""}`.trimEnd()).setAttributes({
          "http.request.method": method,
          "http.response.status_code": status,
          ...(route === null ? {} : { "http.route": route }),
          "nts.operation": operation,
          "nts.request_id": requestId,
        });
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
      const sampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
      return { traceId, traceparent: writeTraceparent({ traceId, spanId, sampled }), end };
    },
    close: async () => {
      await waitAtMost(
        FLUSH_MS,
        provider.shutdown().catch(() => undefined),
      );
    },
  };
}

/** An unreachable endpoint is not a failure of a request, but logged now and then. */
function logFaults(log: Log): void {
  let lastAt = -Infinity;
  const logFault = (message: string, ...details: unknown[]): void => {
    if (performance.now() - lastAt < TELL_EVERY_MS) return;
    lastAt = performance.now();
    log.warn({ details: details.map(String) }, `tracing: ${message}`);
  };
  const silent = (): void => undefined;
  diag.setLogger({ error: logFault, warn: logFault, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
}
