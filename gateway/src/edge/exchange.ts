import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Cause, TRACEPARENT } from "@nts/shared/http/headers";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { Span, Tracing } from "@nts/shared/tracing/tracing";
import type { Level } from "../rate-limit/bucket.js";
import { clientAddressOf } from "./client-address.js";
import type { Fields } from "./json-headers.js";
import { newRequestId } from "./request-id.js";

/** A request and its answer, with what becomes known of them on the way. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly clientAddress: string;
  /** `performance.now()` at the end of the request's head. */
  readonly startedAt: number;
  readonly span: Span;
  operationId: string;
  /** Path of the operation with `{name}` placeholders; null when there is none. */
  route: string | null;
  /** What came after its head is no HTTP, or came too slowly: it is being answered so, and goes nowhere else. */
  unreadable: boolean;
  /** What the limit said last; null before it was asked. */
  level: Level | null;
  /** Names and values by turns of the headers of every answer. */
  readonly everyAnswer: Fields;
  /** The user on whose behalf it is made, once known. */
  principal: UserPrincipal | null;
  /** What else ends with it: called when the answer has ended, or the client has gone before. */
  onEnd: (() => void) | null;
}

/** What requests on behalf of this one tell of it. */
export function causeOf({ requestId, span }: Exchange): Cause {
  return { requestId, traceparent: span.traceparent };
}

export interface ExchangeOptions {
  /** Proxies of ours in front of the gateway. */
  readonly trustedHops: number;
  /** Names and values by turns of the headers of every answer. */
  readonly everyAnswer: Fields;
  readonly tracing: Tracing;
  /** Is told of each exchange when it has ended. */
  readonly onEnd: (exchange: Exchange) => void;
}

/** The exchanges of all connections. */
export interface Exchanges {
  open(request: IncomingMessage, response: ServerResponse): Exchange;
  /** The last one on a connection; undefined when it has ended with all of its request read. */
  lastOn(socket: Socket): Exchange | undefined;
}

/** No exchanges yet. */
export function createExchanges({ trustedHops, everyAnswer, tracing, onEnd }: ExchangeOptions): Exchanges {
  const lastOn = new WeakMap<Socket, Exchange>();

  function end(exchange: Exchange): void {
    const { request } = exchange;
    // A connection may stay idle for a minute, and shall not hold what it was used for last.
    if (request.complete && lastOn.get(request.socket) === exchange) lastOn.delete(request.socket);
    exchange.onEnd?.();
    onEnd(exchange);
  }

  return {
    open: (request, response) => {
      const requestId = newRequestId();
      const exchange: Exchange = {
        request,
        response,
        requestId,
        clientAddress: clientAddressOf(request, trustedHops),
        startedAt: performance.now(),
        span: tracing.begin(request.headers[TRACEPARENT] as string | undefined, requestId),
        operationId: "none",
        route: null,
        unreadable: false,
        level: null,
        everyAnswer,
        principal: null,
        onEnd: null,
      };
      lastOn.set(request.socket, exchange);
      // One listener for whatever there is to do then; each more would cost as much as what it does.
      response.on("close", () => {
        end(exchange);
      });
      return exchange;
    },
    lastOn: (socket) => lastOn.get(socket),
  };
}
