import { type AnyEndpoint, IDEMPOTENCY_KEY, takesIdempotencyKey } from "@nts/shared/contract";
import type { Log } from "@nts/shared/log";
import type { Upstream } from "@nts/shared/upstream/upstream";
import type { Exchange } from "../edge/exchange.js";
import type { Purpose } from "../edge/in-flight.js";
import type { StreamRights } from "../streams/stream-rights.js";
import type { OutgoingBody, Transport } from "./transport.js";

/** A request to forward. */
export interface Forwarding {
  readonly exchange: Exchange;
  readonly endpoint: AnyEndpoint;
  /** Headers of the message to the service. */
  readonly headers: Record<string, string | string[]>;
  readonly body: OutgoingBody;
  readonly purpose: Purpose;
  /** Settles when the request is counted; null if it is. */
  readonly counted: Promise<void> | null;
  /** For a delayed response. @throws AppError if the caller's rights have changed */
  readonly recheck?: () => Promise<void>;
  /** For a stream: checks its rights while it is open. */
  readonly rights?: StreamRights;
}

export interface ProxyOptions {
  readonly upstream: Pick<Upstream, "call">;
  readonly transport: Transport;
  readonly log: Log;
}

/** Responds to an exchange with the response of a service. */
export type Proxy = (forwarding: Forwarding) => void;

/** The service recognizes retries of such writes. */
export function isKeyed({ endpoint, exchange }: Forwarding): boolean {
  return exchange.request.headers[IDEMPOTENCY_KEY] !== undefined && takesIdempotencyKey(endpoint);
}
