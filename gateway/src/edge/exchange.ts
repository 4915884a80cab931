import type { IncomingMessage, ServerResponse } from "node:http";
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
}

/** Opens an exchange. */
export type OpenExchange = (request: IncomingMessage, response: ServerResponse) => Exchange;

/** Makes the function that opens exchanges. */
export function createExchanges({ trustedHops, everyAnswer, tracing }: ExchangeOptions): OpenExchange {
  return (request, response) => {
    const requestId = newRequestId();
    return {
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
    };
  };
}
