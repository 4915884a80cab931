import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { watchBodySize } from "../edge/body.js";
import type { Replica } from "./upstream.js";

// What http-proxy-middleware is given in place of the client's request. It reads method, url and headers of it and pipes it
// to the service, which is all that is here: with clean headers, and a body that is counted on its way, or none at all where
// the operation takes none (a body without a place in the message to the service would be read there as the next request).

/** A request on its way to a service. */
export interface ProxiedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[]>;
  readonly socket: Socket;
  replica: Replica;
  /** The message to the service, once there is one. */
  outgoing: ClientRequest | null;
  on(): ProxiedRequest;
  pipe(outgoing: ClientRequest): ClientRequest;
  readonly onAnswer: (answer: IncomingMessage) => void;
  readonly onFault: (error: Error & { code?: string }) => void;
}

export interface ProxiedRequestOptions {
  readonly request: IncomingMessage;
  readonly headers: Record<string, string | string[]>;
  readonly replica: Replica;
  /** Whether the body goes on. */
  readonly withBody: boolean;
  readonly onAnswer: (answer: IncomingMessage) => void;
  /** The service cannot be reached or broke off before it answered. */
  readonly onFault: (error: Error & { code?: string }) => void;
  readonly onTooMuch: () => void;
}

/** A request that has not been sent yet. */
export function createProxiedRequest(options: ProxiedRequestOptions): ProxiedRequest {
  const { request, headers, replica, withBody, onAnswer, onFault, onTooMuch } = options;
  return {
    method: request.method ?? "GET",
    url: request.url ?? "/",
    headers,
    socket: request.socket,
    replica,
    outgoing: null,
    on() {
      return this;
    },
    pipe(outgoing) {
      this.outgoing = outgoing;
      watchBodySize(request, onTooMuch);
      if (withBody) return request.pipe(outgoing);
      request.resume();
      outgoing.end();
      return outgoing;
    },
    onAnswer,
    onFault,
  };
}
