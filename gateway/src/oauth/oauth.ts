import type { AnyEndpoint } from "@nts/shared/contract";
import { issueToken, type OAuthRefusal, registerAssistant, revokeToken } from "@nts/shared/contract/internal";
import { isOfType } from "@nts/shared/contract/upload";
import { excessOf } from "@nts/shared/http/json-bounds";
import type { InternalClient } from "@nts/shared/upstream/internal-client";
import type { Exchange } from "../edge/exchange.js";
import type { InFlight } from "../edge/in-flight.js";
import { jsonHead } from "../edge/json-head.js";
import { readSmallBody } from "../edge/small-body.js";
import { REGISTER, REVOKE } from "./endpoints.js";
import { formOf, OAuthFault, registrationRequestOf, tokenRequestOf } from "./requests.rules.js";

// Translates between assistants, which speak OAuth, and identity, which decides.

const FORM_TYPE = "application/x-www-form-urlencoded";
const MOST_FORM_BYTES = 16_384;

/** Responds to a request of an assistant. @throws AppError of what has no name in the RFCs, such as a rate limit */
export type OAuth = (exchange: Exchange, endpoint: AnyEndpoint) => Promise<void>;

interface Answer {
  readonly status: number;
  readonly content: object;
}

/** @param identity whose requests are not repeated, because codes and tokens are good for one use */
export function createOAuth(inFlight: InFlight, identity: Pick<InternalClient, "ask">): OAuth {
  async function bodyOf(exchange: Exchange, type: string): Promise<string> {
    const bytes = await readSmallBody(exchange, inFlight, MOST_FORM_BYTES);
    if (!isOfType(exchange.request.headers["content-type"], [type]))
      throw new OAuthFault("invalid_request", `Content-Type must be ${type}`, 415);
    if (type !== FORM_TYPE) {
      const excess = excessOf(bytes);
      if (excess !== null) throw new OAuthFault("invalid_client_metadata", excess);
    }
    return bytes.toString("utf8");
  }

  async function register(exchange: Exchange): Promise<Answer> {
    const body = registrationRequestOf(await bodyOf(exchange, "application/json"));
    const result = await identity.ask(registerAssistant, { body, ...from(exchange) });
    if (result.status === "refused") return refused(result);
    const { client_id, client_name, redirect_uris, issued_at } = result;
    return {
      status: 201,
      content: {
        ...{ client_id, client_id_issued_at: issued_at, client_name, redirect_uris },
        ...{ grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
        token_endpoint_auth_method: "none",
      },
    };
  }

  async function issue(exchange: Exchange): Promise<Answer> {
    const body = tokenRequestOf(await bodyOf(exchange, FORM_TYPE));
    const result = await identity.ask(issueToken, { body, ...from(exchange) });
    if (result.status === "refused") return refused(result);
    const { access_token, expires_in, refresh_token, scope } = result;
    return { status: 200, content: { access_token, token_type: "Bearer", expires_in, refresh_token, scope } };
  }

  async function revoke(exchange: Exchange): Promise<Answer> {
    const { token } = formOf(await bodyOf(exchange, FORM_TYPE), ["token"]);
    if (token === undefined) throw new OAuthFault("invalid_request", "token is needed");
    await identity.ask(revokeToken, { body: { token }, ...from(exchange) });
    return { status: 200, content: {} };
  }

  async function answerTo(exchange: Exchange, endpoint: AnyEndpoint): Promise<Answer> {
    try {
      if (endpoint === REGISTER) return await register(exchange);
      return await (endpoint === REVOKE ? revoke(exchange) : issue(exchange));
    } catch (error) {
      if (!(error instanceof OAuthFault)) throw error;
      return { status: error.status, content: { error: error.error, error_description: error.description } };
    }
  }

  return async (exchange, endpoint) => {
    const { status, content } = await answerTo(exchange, endpoint);
    const text = JSON.stringify(content);
    exchange.respond(status, jsonHead(status, text), text);
  };
}

function from({ cause, clientAddress }: Exchange) {
  return { cause, clientAddress };
}

function refused({ error, description }: OAuthRefusal): Answer {
  return { status: 400, content: { error, error_description: description } };
}
