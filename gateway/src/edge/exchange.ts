import type { IncomingMessage, ServerResponse } from "node:http";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
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
  operationId: string;
  /** The user on whose behalf it is made, once known. */
  principal: UserPrincipal | null;
}

/** Makes the function that opens an exchange; its answer carries from then on what every answer carries. */
export function createExchanges(trustedHops: number): (request: IncomingMessage, response: ServerResponse) => Exchange {
  return (request, response) => {
    const requestId = v7();
    response.setHeader(ANSWERED_REQUEST_ID, requestId);
    return {
      request,
      response,
      requestId,
      clientAddress: clientAddressOf(request, trustedHops),
      startedAt: performance.now(),
      operationId: "none",
      principal: null,
    };
  };
}
