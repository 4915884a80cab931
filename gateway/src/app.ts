import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { API_VERSION, type AnyEndpoint } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { INTERNAL, REQUEST_ID, TRACEPARENT, TRACESTATE } from "@nts/shared/http/headers";
import type { Log } from "@nts/shared/log";
import { readTraceparent } from "@nts/shared/tracing/trace-context";
import { SERVER_VERSION } from "@nts/shared/version";
import type { Admission } from "./authenticate/admission.js";
import type { Caller } from "./authenticate/caller.js";
import { sendEmpty, sendFailure, sendSuccess } from "./edge/answers.js";
import { announcesTooMuch } from "./edge/body.js";
import { canonicalAddress } from "./edge/client-address.js";
import type { Exchange } from "./edge/exchange.js";
import { answerMalformed } from "./edge/malformed.js";
import { isSound } from "./edge/soundness.js";
import { cleanHeaders } from "./proxy/hygiene.js";
import type { Proxy } from "./proxy/proxy.js";
import type { Pages } from "./pages.js";
import { createRoutes } from "./routes.js";

// The flow of a request. Operations are looked up and served on the bare listener; only pages go to an express
// application, which costs more than all the work on an operation.

export interface AppOptions {
  readonly open: (request: IncomingMessage, response: ServerResponse) => Exchange;
  readonly admission: Admission;
  readonly tenancyHeader: (caller: Caller, audience: "identity" | "topology") => string;
  readonly services: Readonly<Record<"identity" | "topology", Proxy>>;
  readonly pages: Pages;
  readonly log: Log;
}

export interface App {
  /** Answers one exchange; never rejects. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Answers bytes on a connection that are no request. */
  onClientError(error: Error & { code?: string }, socket: Socket): void;
}

/** The application of the gateway. */
export function createApp({ open, admission, tenancyHeader, services, pages, log }: AppOptions): App {
  const routes = createRoutes(pages.has);
  const exchangeOn = new WeakMap<Socket, Exchange>();

  async function serve(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    if (!isSound(request)) return admission.refuse(exchange, new AppError("malformed_request"));
    const destination = routes(request);
    switch (destination.kind) {
      case "operation":
        exchange.operationId = destination.endpoint.operationId;
        exchange.route = destination.endpoint.path;
        return operate(exchange, destination.endpoint);
      case "options":
      case "wrong-method":
        return answerOtherMethod(exchange, destination.allow);
      case "page":
        exchange.operationId = "page";
        await admission.chargeAddress(exchange);
        pages.serve(request, exchange.response);
        return;
      case "unknown":
        return admission.refuse(exchange, new AppError("not_found", { entity: "Path" }));
    }
  }

  async function operate(exchange: Exchange, endpoint: AnyEndpoint): Promise<void> {
    const { upstream } = endpoint;
    if (endpoint.operationId === "get_health") {
      sendSuccess(exchange, { status: "ok" });
      return;
    }
    const caller = await admission.admit(exchange, endpoint);
    if (announcesTooMuch(exchange.request.headers)) throw new AppError("payload_too_large");
    if (upstream === "gateway") {
      sendSuccess(exchange, { api_version: API_VERSION, server_version: SERVER_VERSION });
      return;
    }
    const headers = cleanHeaders(exchange.request.headers, endpoint.body !== undefined);
    headers[INTERNAL.tenancy] = tenancyHeader(caller, upstream);
    headers[INTERNAL.clientAddress] = exchange.clientAddress;
    headers[REQUEST_ID] = exchange.requestId;
    headers[TRACEPARENT] = exchange.span.traceparent;
    const { [TRACESTATE]: state, [TRACEPARENT]: given } = exchange.request.headers;
    // It belongs to the trace that the client named; without one it means nothing.
    if (state !== undefined && readTraceparent(given) !== null) headers[TRACESTATE] = state;
    services[upstream]({ exchange, endpoint, headers });
  }

  async function answerOtherMethod(exchange: Exchange, allow: string): Promise<void> {
    exchange.response.setHeader("Allow", allow);
    if (exchange.request.method !== "OPTIONS") return admission.refuse(exchange, new AppError("method_not_allowed"));
    await admission.chargeAddress(exchange);
    sendEmpty(exchange, 204);
  }

  async function settle(exchange: Exchange, serving: Promise<void>): Promise<void> {
    try {
      await serving;
    } catch (error) {
      if (exchange.response.headersSent) return;
      const known = error instanceof AppError ? error : new AppError("internal_error", {}, error);
      if (known.code === "internal_error")
        log.error({ request_id: exchange.requestId, trace_id: exchange.span.traceId, err: error }, "request failed");
      sendFailure(exchange, known);
    }
  }

  return {
    serve: (request, response) => {
      const exchange = open(request, response);
      exchangeOn.set(request.socket, exchange);
      void settle(exchange, serve(exchange));
    },
    onClientError: (error, socket) => {
      const answer = (): void =>
        void admission.chargeBytes(canonicalAddress(socket.remoteAddress ?? "")).then((headers) => {
          answerMalformed(error, socket, headers);
        });
      const last = exchangeOn.get(socket);
      if (last === undefined || last.response.writableFinished) answer();
      // The body of the request that is being answered is malformed, or what was sent after it before it was answered.
      else if (last.request.complete) last.response.once("close", answer);
      else sendFailure(last, new AppError("malformed_request"));
    },
  };
}
