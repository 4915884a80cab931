import { newId } from "../ids.js";
import type { Log } from "../log.js";
import { readTraceparent, type TraceContext, writeTraceparent } from "./trace-context.js";

// Every request belongs to a trace, its own or a new one, which is forwarded and logged. Spans are recorded only if an
// endpoint is set; otherwise OpenTelemetry is not even loaded.

/** This process's part in handling a request. */
export interface Span {
  readonly traceId: string;
  /** The `traceparent` of requests made for this one. */
  readonly traceparent: string;
  /** Records the outcome and ends the span. */
  end(outcome: SpanOutcome): void;
}

/** The outcome of a request. Path and query are omitted, because they contain the caller's data. */
export interface SpanOutcome {
  readonly requestId: string;
  readonly operation: string;
  /** Path with `{name}` placeholders; null if no operation matched. */
  readonly route: string | null;
  readonly method: string;
  readonly status: number;
}

export interface Tracing {
  /**
   * Starts a span for this process.
   *
   * @param traceparent the header of the request
   * @param freshId a new UUID, from which the trace id is derived if the request has none
   */
  begin(traceparent: string | undefined, freshId?: string): Span;
  /** Flushes recorded spans with a time limit. Never rejects. */
  close(): Promise<void>;
}

export interface TracingOptions {
  readonly processName: string;
  /** Base URL of an OTLP receiver over HTTP; without it nothing is recorded. */
  readonly endpoint: string | undefined;
  /** The fraction of traces started here that is recorded, 0 to 1; others follow the caller's decision. */
  readonly share: number;
  readonly log: Log;
}

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
