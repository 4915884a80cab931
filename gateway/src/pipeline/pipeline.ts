import { API_VERSION, type AnyEndpoint } from "@nts/shared/contract";
import { createQueryReader } from "@nts/shared/http/query";
import { SERVER_VERSION } from "@nts/shared/version";
import { z } from "zod";
import type { Admit } from "./admit.js";
import type { RespondLocally } from "./respond-locally.js";
import { sendEmpty, sendSuccess } from "../edge/responses.js";
import type { Exchange } from "../edge/exchange.js";
import { faultOf } from "../edge/strict-requests.js";
import { queryOf, resolveTarget } from "../edge/target.js";
import { type Assistants, MCP } from "../mcp/assistants.js";
import { OAUTH_ENDPOINTS } from "../oauth/endpoints.js";
import type { OAuthMetadata } from "../oauth/metadata.js";
import type { OAuth } from "../oauth/oauth.js";
import type { Forward } from "../proxy/forward.js";
import type { Charges } from "../charges/charges.js";
import type { Refusals } from "../charges/refusals.js";
import type { Routes } from "./routes.js";
import type { FramesOf } from "../authenticate/share-frames.js";
import { framedBy } from "../console/console.js";
import { sendFile } from "../files/served-file.js";

/** Operations of the gateway itself have no parameters. */
const readNoQuery = createQueryReader(z.strictObject({}));

export interface PipelineOptions {
  /** Host of the public URL, if configured. */
  readonly ownHost: string | null;
  readonly routes: Routes;
  readonly admit: Admit;
  readonly charges: Pick<Charges, "charge">;
  readonly forward: Forward;
  readonly assistants: Assistants;
  readonly oauth: OAuth;
  readonly challenge: OAuthMetadata["challenge"];
  readonly respondLocally: RespondLocally;
  readonly refusals: Refusals;
  /** Origins whose pages may contain a share. */
  readonly framesOf: FramesOf;
  /** Called with each request of an operation. */
  readonly onUse: () => void;
}

/** Handles an exchange; never throws. */
export type Serve = (exchange: Exchange) => void;

/**
 * The stages of a request: check → route → authenticate → limit → authorize (these three in `admit.ts`) → forward. Some
 * reads are forwarded while the limiter decides, and answered when it has. The response is sent in an envelope, and the
 * exchange is accounted for when it has ended.
 */
export function createPipeline(options: PipelineOptions): Serve {
  const { ownHost, routes, admit, charges, forward, assistants, oauth, respondLocally, refusals, framesOf, onUse } =
    options;

  async function pass(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    const fault = exchange.unreadable ?? faultOf(request);
    if (fault !== null) return refusals.refuse(exchange, fault);
    // Node's parser treats what follows an `Upgrade` header as the other protocol, even if it is not granted.
    if (request.headers.upgrade !== undefined) exchange.closeConnection();
    resolveTarget(request, ownHost);
    const destination = exchange.isPreflight ? null : routes(request);
    if (destination === null) sendEmpty(exchange, 204);
    else if (destination.kind === "operation") await operate(exchange, destination.endpoint);
    else if (destination.kind === "share") {
      await charges.charge(exchange);
      exchange.operationId = "share";
      sendFile(exchange, framedBy(destination.file, await framesOf(destination.shareId, exchange)));
    } else {
      if (destination.kind !== "console") await charges.charge(exchange);
      respondLocally(exchange, destination);
    }
  }

  async function operate(exchange: Exchange, endpoint: AnyEndpoint): Promise<void> {
    exchange.operationId = endpoint.operationId;
    exchange.route = endpoint.path;
    if (endpoint.upstream === "gateway") readNoQuery(queryOf(exchange.request));
    if (endpoint.operationId === "get_health") {
      sendSuccess(exchange, { status: "ok" });
      return;
    }
    onUse();
    if (endpoint === MCP) exchange.challenge = options.challenge(exchange.request.headers.authorization !== undefined);
    const admitted = await admit(exchange, endpoint);
    if (endpoint === MCP) await assistants(exchange, admitted.caller);
    else if (OAUTH_ENDPOINTS.includes(endpoint)) await oauth(exchange, endpoint);
    else if (endpoint.upstream !== "gateway") await forward(exchange, endpoint, admitted);
    else sendSuccess(exchange, { api_version: API_VERSION, server_version: SERVER_VERSION });
  }

  return (exchange) => {
    pass(exchange).catch((error: unknown) => refusals.fail(exchange, error));
  };
}
