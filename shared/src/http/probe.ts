import type { Readiness } from "../lifecycle.js";
import type { Listener } from "./server.js";

/** Path of the readiness probe between processes. It is not reachable through the gateway. */
export const PROBE_PATH = "/internal/ready";

/**
 * Responds to probes ahead of a listener: 200, or 503 once the process is stopping, so that callers switch to other
 * replicas. Dependencies are not included: an unavailable database is unavailable to all replicas.
 */
export function withProbe(readiness: Readiness, listener: Listener): Listener {
  return (request, response) => {
    if (request.url === PROBE_PATH) response.writeHead(readiness.stopping ? 503 : 200).end();
    else listener(request, response);
  };
}
