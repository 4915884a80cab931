import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { API_VERSION, type AnyEndpoint } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { bodyLimitOf } from "@nts/shared/http/body";
import { INTERNAL, REQUEST_ID, TRACEPARENT, TRACESTATE } from "@nts/shared/http/headers";
import type { Listener } from "@nts/shared/http/server";
import type { Log } from "@nts/shared/log";
import { readTraceparent } from "@nts/shared/tracing/trace-context";
import { SERVER_VERSION } from "@nts/shared/version";
import type { Admission } from "./authenticate/admission.js";
import type { Caller } from "./authenticate/caller.js";
import { sendEmpty, sendFailure, sendSuccess } from "./edge/answers.js";
import { announcesTooMuch } from "./edge/body.js";
import { canonicalAddress } from "./edge/client-address.js";
import type { Cors } from "./edge/cors.js";
import type { Exchange, Exchanges } from "./edge/exchange.js";
import { setEveryHeader } from "./edge/head.js";
import type { Fields } from "./edge/json-headers.js";
import { answerMalformed, isTooSlow, statusOf } from "./edge/malformed.js";
import { watchPace } from "./edge/pace.js";
import { faultOf } from "./edge/soundness.js";
import { answerTunnel } from "./edge/tunnel.js";
import type { Console } from "./console/console.js";
import { cleanHeaders } from "./proxy/hygiene.js";
import type { Proxy } from "./proxy/proxy.js";
import type { Pages } from "./pages.js";
import { createRoutes } from "./routes.js";

// The flow of a request. Operations are looked up and served on the bare listener; only pages go to an express
// application, which costs more than all the work on an operation.

export interface AppOptions {
  readonly exchanges: Exchanges;
  readonly cors: Cors;
  readonly admission: Admission;
  readonly tenancyHeader: (caller: Caller, audience: "identity" | "topology") => string;
  readonly services: Readonly<Record<"identity" | "topology", Proxy>>;
  readonly pages: Pages;
  readonly webConsole: Console;
  /** Names and values by turns of the headers of every answer. */
  readonly everyAnswer: Fields;
  readonly log: Log;
}

export interface App {
  /** Answers one exchange; never rejects. */
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Answers CONNECT, for which Node makes no response. */
  onConnect(request: IncomingMessage, connection: Duplex): void;
  /** Answers bytes on a connection that are no request, or come too slowly. */
  onClientError(error: Error & { code?: string }, socket: Socket): void;
}

/** The application of the gateway. */
export function createApp({
  exchanges,
  cors,
  admission,
  tenancyHeader,
  services,
  pages,
  webConsole,
  everyAnswer,
  log,
}: AppOptions): App {
  const routes = createRoutes({ page: pages.has, console: webConsole.has });
  // Connections of which nothing can be read any more; each further byte is reported as a fault of its own.
  const broken = new WeakSet<Socket>();
  // Files: the time that they may take is not Node's to tell.
  const paced = new WeakSet<IncomingMessage>();

  function serve(exchange: Exchange): Promise<void> | undefined {
    const { request, response } = exchange;
    const fault = faultOf(request);
    if (fault !== null) return refuseUnsound(exchange, fault);
    // Node's parser takes what follows a wish for another protocol for that protocol, also where it is not granted.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    if (cors(request, response)) {
      sendEmpty(exchange, 204);
      return;
    }
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
        return show(exchange, () => {
          pages.serve(request, response);
        });
      case "console":
        exchange.operationId = "console";
        setEveryHeader(exchange);
        webConsole.serve(destination.path, request, response);
        return;
      case "unknown":
        if (!webConsole.isReader(request))
          return admission.refuse(exchange, new AppError("not_found", { entity: "Path" }));
        return show(exchange, () => {
          webConsole.serveNotFound(request, response);
        });
    }
  }

  /** Shows a page at the cost of the address. */
  async function show(exchange: Exchange, servePage: () => void): Promise<void> {
    await admission.chargeAddress(exchange);
    setEveryHeader(exchange);
    servePage();
  }

  async function refuseUnsound(exchange: Exchange, status: number): Promise<void> {
    const { response } = exchange;
    // Whoever sent this may mean something else by what comes next on the connection, too.
    response.shouldKeepAlive = false;
    if (exchange.level === null) await admission.chargeAddress(exchange);
    if (!response.headersSent) sendFailure(exchange, new AppError("malformed_request"), status);
  }

  async function operate(exchange: Exchange, endpoint: AnyEndpoint): Promise<void> {
    const { upstream } = endpoint;
    if (endpoint.operationId === "get_health") {
      sendSuccess(exchange, { status: "ok" });
      return;
    }
    const caller = await admission.admit(exchange, endpoint);
    if (exchange.unreadable) return;
    if (announcesTooMuch(exchange.request.headers, bodyLimitOf(endpoint))) throw new AppError("payload_too_large");
    if (upstream === "gateway") {
      sendSuccess(exchange, { api_version: API_VERSION, server_version: SERVER_VERSION });
      return;
    }
    if (endpoint.upload !== undefined) allowItsPace(exchange);
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

  function allowItsPace(exchange: Exchange): void {
    const { request } = exchange;
    paced.add(request);
    watchPace(request, () => {
      paced.delete(request);
      refuseUnreadable(exchange, 408);
    });
  }

  /** What comes on the connection is still the file. */
  function isPaced({ request }: Exchange): boolean {
    return paced.has(request) && !request.complete;
  }

  /** Something is wrong with what comes after the head of a request. */
  function refuseUnreadable(exchange: Exchange, status: number): void {
    if (exchange.response.headersSent) exchange.request.socket.destroy();
    else {
      exchange.unreadable = true;
      void settle(exchange, () => refuseUnsound(exchange, status));
    }
  }

  async function answerOtherMethod(exchange: Exchange, allow: string): Promise<void> {
    exchange.response.setHeader("Allow", allow);
    if (exchange.request.method !== "OPTIONS") return admission.refuse(exchange, new AppError("method_not_allowed"));
    await admission.chargeAddress(exchange);
    sendEmpty(exchange, 204);
  }

  function answerBytes(error: Error, socket: Socket): void {
    void admission.chargeBytes(canonicalAddress(socket.remoteAddress ?? "")).then((fields) => {
      answerMalformed(error, socket, [...everyAnswer, ...fields]);
    });
  }

  async function settle(exchange: Exchange, answer: typeof serve): Promise<void> {
    try {
      await answer(exchange);
    } catch (error) {
      if (exchange.response.headersSent) return;
      const known = error instanceof AppError ? error : new AppError("internal_error", {}, error);
      if (known.code === "internal_error")
        log.error({ request_id: exchange.requestId, trace_id: exchange.span.traceId, err: error }, "request failed");
      sendFailure(exchange, known);
    }
  }

  const listen: Listener = (request, response) => {
    void settle(exchanges.open(request, response), serve);
  };

  return {
    serve: listen,
    onConnect: (request, connection) => {
      answerTunnel(request, connection, listen);
    },
    onClientError: (error, socket) => {
      const last = exchanges.lastOn(socket);
      if (broken.has(socket) || (isTooSlow(error) && last !== undefined && isPaced(last))) return;
      broken.add(socket);
      if (last === undefined || last.request.complete) {
        // What comes after the request that is being answered has to wait.
        if (last === undefined || last.response.writableFinished) answerBytes(error, socket);
        else
          last.response.once("close", () => {
            answerBytes(error, socket);
          });
      } else refuseUnreadable(last, statusOf(error));
    },
  };
}
