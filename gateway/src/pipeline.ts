import { API_VERSION, type AnyEndpoint } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { authorize } from "@nts/shared/http/authorize";
import { STATUSES } from "@nts/shared/http/statuses";
import { SERVER_VERSION } from "@nts/shared/version";
import type { AnswerHere } from "./answer-here.js";
import type { Caller } from "./authenticate/caller.js";
import type { Authenticate } from "./authenticate/authenticate.js";
import type { KeyUses } from "./authenticate/key-uses.js";
import { sendEmpty, sendSuccess } from "./edge/answers.js";
import type { Exchange } from "./edge/exchange.js";
import { faultOf } from "./edge/soundness.js";
import { resolveTarget } from "./edge/target.js";
import { type Assistants, MCP } from "./mcp/assistants.js";
import type { Forward } from "./proxy/forward.js";
import type { Charges } from "./rate-limit/charges.js";
import type { Routes } from "./routes.js";

// The way of a request: check → route → authenticate → limit → authorize → forward. The service's answer comes back in an
// envelope, and the exchange is accounted for when it is over.

export interface PipelineOptions {
  /** Host of the public URL, if there is one. */
  readonly ownHost: string | null;
  readonly routes: Routes;
  readonly authenticate: Authenticate;
  readonly charges: Pick<Charges, "charge">;
  readonly keyUses: Pick<KeyUses, "record" | "recordRefusal">;
  readonly forward: Forward;
  readonly assistants: Assistants;
  readonly answerHere: AnswerHere;
}

export interface Pipeline {
  /** Answers an exchange; never throws. */
  serve(exchange: Exchange): void;
  /** Refuses a request that is no sound HTTP, at the cost of its address, and closes its connection. */
  refuseUnsound(exchange: Exchange, status: number): void;
}

export function createPipeline(options: PipelineOptions): Pipeline {
  const { ownHost, routes, charges, forward, assistants, answerHere } = options;
  const admit = createAdmit(options);

  async function pass(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    const fault = exchange.unreadable ?? faultOf(request);
    if (fault !== null) return refuse(exchange, fault);
    // Node's parser takes what follows a wish for another protocol for that protocol, also where it is not granted.
    if (request.headers.upgrade !== undefined) exchange.closeConnection();
    resolveTarget(request, ownHost);
    const destination = exchange.isPreflight ? null : routes(request);
    if (destination === null) sendEmpty(exchange, 204);
    else if (destination.kind === "operation") await operate(exchange, destination.endpoint);
    else {
      if (destination.kind !== "console") await charges.charge(exchange);
      answerHere(exchange, destination);
    }
  }

  async function operate(exchange: Exchange, endpoint: AnyEndpoint): Promise<void> {
    exchange.operationId = endpoint.operationId;
    exchange.route = endpoint.path;
    if (endpoint.operationId === "get_health") {
      sendSuccess(exchange, { status: "ok" });
      return;
    }
    const caller = await admit(exchange, endpoint);
    if (endpoint === MCP) await assistants(exchange, caller);
    else if (endpoint.upstream !== "gateway") await forward(exchange, endpoint, caller);
    else sendSuccess(exchange, { api_version: API_VERSION, server_version: SERVER_VERSION });
  }

  async function refuse(exchange: Exchange, status: number): Promise<void> {
    // What follows on the connection may be ambiguous, too.
    exchange.closeConnection();
    await charges.charge(exchange);
    exchange.fail(new AppError("malformed_request"), status);
  }

  /** Fails an exchange; a refusal counts as a request, unless the request was counted before. */
  async function fail(exchange: Exchange, error: unknown): Promise<void> {
    try {
      if (isRefusal(error)) await charges.charge(exchange);
      exchange.fail(error);
    } catch (limit) {
      exchange.fail(limit);
    }
  }

  return {
    serve: (exchange) => {
      pass(exchange).catch((error: unknown) => fail(exchange, error));
    },
    refuseUnsound: (exchange, status) => {
      if (exchange.isOpen) refuse(exchange, status).catch((error: unknown) => fail(exchange, error));
      else exchange.cut();
    },
  };
}

/** Makes what finds out who asks, and whether they may; of keys both are counted. */
function createAdmit({ authenticate, charges, keyUses }: PipelineOptions) {
  return async (exchange: Exchange, endpoint: AnyEndpoint): Promise<Caller> => {
    try {
      const caller = await authenticate(exchange, endpoint);
      await charges.charge(exchange);
      const { principal, limits } = caller;
      const { clientAddress: address } = exchange;
      if (principal.kind === "key")
        keyUses.record({ keyId: principal.credentialId, address, isPrevious: limits.isPrevious });
      authorize(endpoint, principal);
      return caller;
    } catch (error) {
      if (exchange.keyId !== null && isRefusal(error)) keyUses.recordRefusal(exchange.keyId);
      throw error;
    }
  };
}

/** Rather than a fault of ours. */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && STATUSES[error.code] < 500;
}
