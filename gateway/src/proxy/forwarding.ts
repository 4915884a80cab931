import { type AnyEndpoint, IDEMPOTENCY_KEY, takesIdempotencyKey } from "@nts/shared/contract";
import type { Log } from "@nts/shared/log";
import type { Upstream } from "@nts/shared/upstream/upstream";
import type { Exchange } from "../edge/exchange.js";
import type { Way } from "../edge/in-flight.js";
import type { StreamRights } from "../streams/stream-rights.js";
import type { OutgoingBody, Transport } from "./transport.js";

/** What is passed on. */
export interface Forwarding {
  readonly exchange: Exchange;
  readonly endpoint: AnyEndpoint;
  /** Of the message to the service. */
  readonly headers: Record<string, string | string[]>;
  readonly body: OutgoingBody;
  readonly way: Way;
  /** Of an answer that may be held back. @throws AppError when the caller has not the rights any more that it had */
  readonly judgeAgain?: () => Promise<void>;
  /** Of a stream: what it is judged by while it goes on. */
  readonly rights?: StreamRights;
}

export interface ProxyOptions {
  readonly upstream: Pick<Upstream, "call">;
  readonly transport: Transport;
  readonly log: Log;
}

/** Answers an exchange with what a service answers. */
export type Proxy = (forwarding: Forwarding) => void;

/** The service tells a repeat of such a write from another one. */
export function isKeyed({ endpoint, exchange }: Forwarding): boolean {
  return exchange.request.headers[IDEMPOTENCY_KEY] !== undefined && takesIdempotencyKey(endpoint);
}
