// The methods that OpenTelemetry's semantic conventions know. Any other is `_OTHER`, because clients could make up many.
const KNOWN = new Set(["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]);

/** The value of `http.request.method`. */
export function methodName(method: string | undefined): string {
  return method !== undefined && KNOWN.has(method) ? method : "_OTHER";
}
