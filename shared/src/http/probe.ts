import type { Readiness } from "./operations.js";
import type { Listener } from "./server.js";

/** Where a caller asks a replica of a service whether it wants calls. It leads nowhere through the gateway. */
export const PROBE_PATH = "/internal/ready";

/**
 * Puts the answer to probes in front of a listener: 200, or 503 from the moment the process stops, so that callers turn to
 * other replicas while this one still serves what it has. It says nothing of what the service itself depends on: a database
 * that is away is away for all replicas.
 */
export function withProbe(readiness: Readiness, listener: Listener): Listener {
  return (request, response) => {
    if (request.url === PROBE_PATH) response.writeHead(readiness.stopping ? 503 : 200).end();
    else listener(request, response);
  };
}
