import type { Log } from "../log.js";

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
