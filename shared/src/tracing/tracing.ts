import { newId } from "../ids.js";
import type { Log } from "../log.js";
import { readTraceparent, type TraceContext, writeTraceparent } from "./trace-context.js";

// Every request has its place in a trace: the one that it brings, or a new one. That place is passed on to the services that are asked
// on its behalf and stands in the log. Spans are recorded and sent only where an endpoint is set; without one nothing of
// OpenTelemetry is even loaded, and a place that came from outside goes on as it is.

/** The part of one process in answering one request. */
export interface Span {
  readonly traceId: string;
  /** The header `traceparent` of whatever is asked for this request. */
  readonly traceparent: string;
  /** Says how the request ended; nothing else ends the span. */
  end(outcome: SpanOutcome): void;
}

/** How a request ended. Neither path nor query are told: what they name is the caller's business. */
export interface SpanOutcome {
  readonly requestId: string;
  readonly operation: string;
  /** Path with `{name}` placeholders; null when it led to no operation. */
  readonly route: string | null;
  readonly method: string;
  readonly status: number;
}

export interface Tracing {
  /**
   * Begins the part of this process.
   *
   * @param traceparent the header that the request brings
   * @param freshId a UUID of this moment, of which the place is made when the request brings none
   */
  begin(traceparent: string | undefined, freshId?: string): Span;
  /** Sends what was recorded, as far as that goes quickly. Never rejects. */
  close(): Promise<void>;
}

export interface TracingOptions {
  readonly processName: string;
  /** Base URL of a receiver of OTLP over HTTP; nothing is recorded without one. */
  readonly endpoint: string | undefined;
  /** The share of the traces that begin here which is recorded, 0 to 1; others are recorded when their beginner does. */
  readonly share: number;
  readonly log: Log;
}

/** Tracing that records when there is an endpoint. */
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

/** The second half of a UUID is never nothing but zeros: its first bits are fixed. */
function placeOf(id: string): TraceContext {
  const traceId = id.replaceAll("-", "");
  return { traceId, spanId: traceId.slice(16), sampled: false };
}
