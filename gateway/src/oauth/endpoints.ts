import { type AnyEndpoint, endpoint } from "@nts/shared/contract";
import { z } from "zod";

// What assistants request themselves. Not operations of the contract: requests and responses follow RFC 6749, 7591 and 7009,
// without our envelope.

const common = {
  method: "post",
  upstream: "gateway",
  credential: "none",
  permission: null,
  tag: "Assistants",
  response: z.unknown(),
  errors: [],
} as const;

export const TOKEN = endpoint({ ...common, operationId: "oauth_token", path: "/oauth/token", summary: "Issue tokens" });

export const REGISTER = endpoint({
  ...common,
  operationId: "oauth_register",
  path: "/oauth/register",
  summary: "Register an assistant",
});

export const REVOKE = endpoint({
  ...common,
  operationId: "oauth_revoke",
  path: "/oauth/revoke",
  summary: "Revoke a token",
});

export const OAUTH_ENDPOINTS: readonly AnyEndpoint[] = [TOKEN, REGISTER, REVOKE];
