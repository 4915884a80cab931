import { API_VERSION, type AnyEndpoint } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { SERVER_VERSION } from "@nts/shared/version";
import type { AnswerHere } from "./answer-here.js";
import type { Admission } from "./authenticate/admission.js";
import { sendEmpty, sendSuccess } from "./edge/answers.js";
import type { Exchange } from "./edge/exchange.js";
import { faultOf } from "./edge/soundness.js";
import { resolveTarget } from "./edge/target.js";
import type { Forward } from "./proxy/forward.js";
import type { Routes } from "./routes.js";

// The way of a request: check → route → authenticate, limit, authorize → forward. The service's answer comes back in an
// envelope, and the exchange is accounted for when it is over.

export interface PipelineOptions {
  /** Host of the public URL, if there is one. */
  readonly ownHost: string | null;
  readonly routes: Routes;
  readonly admission: Admission;
  readonly forward: Forward;
  readonly answerHere: AnswerHere;
}

export interface Pipeline {
  /** Answers an exchange; never throws. */
  serve(exchange: Exchange): void;
  /** Refuses a request that is no sound HTTP, at the cost of its address, and closes its connection. */
  refuseUnsound(exchange: Exchange, status: number): void;
}

export function createPipeline({ ownHost, routes, admission, forward, answerHere }: PipelineOptions): Pipeline {
  async function pass(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    const fault = exchange.unreadable ?? faultOf(request);
    if (fault !== null) return refuse(exchange, fault);
    // Node's parser takes what follows a wish for another protocol for that protocol, also where it is not granted.
    if (request.headers.upgrade !== undefined) exchange.closeConnection();
    resolveTarget(request, ownHost);
    if (exchange.isPreflight) sendEmpty(exchange, 204);
    else {
      const destination = routes(request);
      if (destination.kind === "operation") await operate(exchange, destination.endpoint);
      else await answerHere(exchange, destination);
    }
  }

  async function operate(exchange: Exchange, endpoint: AnyEndpoint): Promise<void> {
    exchange.operationId = endpoint.operationId;
    exchange.route = endpoint.path;
    if (endpoint.operationId === "get_health") sendSuccess(exchange, { status: "ok" });
    else {
      const caller = await admission.admit(exchange, endpoint);
      if (endpoint.upstream !== "gateway") await forward(exchange, endpoint, caller);
      else sendSuccess(exchange, { api_version: API_VERSION, server_version: SERVER_VERSION });
    }
  }

  async function refuse(exchange: Exchange, status: number): Promise<void> {
    // Whoever sent this may mean something else by what comes next on the connection, too.
    exchange.closeConnection();
    if (exchange.level === null) await admission.chargeAddress(exchange);
    exchange.fail(new AppError("malformed_request"), status);
  }

  return {
    serve: (exchange) => {
      pass(exchange).catch((error: unknown) => {
        exchange.fail(error);
      });
    },
    refuseUnsound: (exchange, status) => {
      if (!exchange.isOpen) exchange.cut();
      else
        refuse(exchange, status).catch((error: unknown) => {
          exchange.fail(error);
        });
    },
  };
}
