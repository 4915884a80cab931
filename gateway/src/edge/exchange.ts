import type { IncomingMessage, ServerResponse } from "node:http";
import { type Cause, TRACEPARENT } from "@nts/shared/http/headers";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { Span, Tracing } from "@nts/shared/tracing/tracing";
import { v7 } from "uuid";
import { clientAddressOf } from "./client-address.js";

/** The header with the request id, as answers show it. */
export const ANSWERED_REQUEST_ID = "X-Request-Id";

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
  /** Headers of every answer. */
  readonly everyAnswer: Readonly<Record<string, string>>;
  readonly tracing: Tracing;
}

/** Opens an exchange; its answer carries from then on what every answer carries. */
export type OpenExchange = (request: IncomingMessage, response: ServerResponse) => Exchange;

/** Makes the function that opens exchanges. */
export function createExchanges({ trustedHops, everyAnswer, tracing }: ExchangeOptions): OpenExchange {
  const fixed = Object.entries(everyAnswer);
  return (request, response) => {
    const requestId = v7();
    response.setHeader(ANSWERED_REQUEST_ID, requestId);
    for (const [name, value] of fixed) response.setHeader(name, value);
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
      principal: null,
    };
  };
}
