import { newId } from "../ids.js";
import type { Span, Tracing, TracingOptions } from "./spans.js";
import { readTraceparent, type TraceContext, writeTraceparent } from "./trace-context.js";

// Every request belongs to a trace, its own or a new one, which is forwarded and logged. Spans are recorded only if an
// endpoint is set; otherwise OpenTelemetry is not even loaded.

/** Tracing that records if there is an endpoint. */
export async function createTracing(options: TracingOptions): Promise<Tracing> {
  const { endpoint } = options;
  if (endpoint === undefined) return passOn;
  const { createRecording } = await import("./recording.js");
  return createRecording({ ...options, endpoint });
}

/** Records nothing. */
export const passOn: Tracing = {
  begin: (traceparent, freshId) => new PassedOnSpan(readTraceparent(traceparent) ?? placeOf(freshId ?? newId())),
  close: () => Promise.resolve(),
};

class PassedOnSpan implements Span {
  readonly traceId: string;

  constructor(private readonly place: TraceContext) {
    this.traceId = place.traceId;
  }

  get traceparent(): string {
    return writeTraceparent(this.place);
  }

  end(): void {
    // Tracing is off.
  }
}

/** The second half of a UUID is never all zeros: its first bits are fixed. */
function placeOf(id: string): TraceContext {
  const traceId = id.replaceAll("-", "");
  return { traceId, spanId: traceId.slice(16), sampled: false };
}
