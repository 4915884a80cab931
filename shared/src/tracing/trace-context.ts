/** A position in a distributed trace, as in the W3C recommendation "Trace Context". */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
  /** Whether an earlier process has recorded the trace. */
  readonly sampled: boolean;
}

const FORM = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Parses a `traceparent` header; null if missing or malformed, which starts a new trace. */
export function readTraceparent(header: string | string[] | undefined): TraceContext | null {
  const [, version, traceId, spanId, flags, rest] = FORM.exec(String(header ?? "")) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  // Later versions may add fields; this one has none.
  if (version === "00" && rest !== undefined) return null;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** The `traceparent` header for outgoing requests. */
export function writeTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}
