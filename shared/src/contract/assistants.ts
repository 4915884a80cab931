import { z } from "zod";
import { Id, PermissionLevel, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";

// How a person lets an assistant in that asks by OAuth: the console shows who asks, and the person decides. What the assistant
// itself requests follows RFC 6749, and is no part of this contract. @see docs/assistants.md

const parameter = z.string().max(2_000);

/** The parameters with which an assistant sent the person's browser, as they arrived. */
export const AuthorizationRequest = z
  .object({
    response_type: parameter.optional(),
    client_id: parameter,
    redirect_uri: parameter.optional(),
    code_challenge: parameter.optional(),
    code_challenge_method: parameter.optional(),
    state: parameter.optional(),
    scope: parameter.optional(),
    resource: parameter.optional(),
  })
  .meta({ id: "AuthorizationRequest" });
export type AuthorizationRequest = z.infer<typeof AuthorizationRequest>;

/** An assistant that asks to be let in. */
export const AskingAssistant = z
  .object({
    name: z.string().describe("What it calls itself, which nobody has verified."),
    returns_to: z.string().describe("The host to which the browser is sent with the decision."),
    is_local: z.boolean().describe("That is the machine of the browser."),
    registered_at: Timestamp,
    permissions: PermissionLevel.nullable().describe("The level that it asks for; null if it does not say."),
    problem: z
      .string()
      .nullable()
      .describe("What is wrong with its request, so that it cannot be let in; null for nothing."),
    refuse_to: z.url().describe("Where to send the browser if the person refuses, or if there is a problem."),
  })
  .meta({ id: "AskingAssistant" });
export type AskingAssistant = z.infer<typeof AskingAssistant>;

const common = {
  upstream: "identity",
  credential: "session",
  permission: "Viewer",
  tag: "Assistants",
  method: "post",
} as const;

export const showAssistant = endpoint({
  ...common,
  operationId: "show_assistant",
  path: "/api/auth/oauth/show",
  summary: "Show which assistant asks to be let in",
  body: AuthorizationRequest,
  response: AskingAssistant,
  errors: ["not_found"],
});

export const letAssistantIn = endpoint({
  ...common,
  operationId: "let_assistant_in",
  path: "/api/auth/oauth/allow",
  showsSecret: true,
  summary: "Let an assistant act for the caller in the current organization",
  description:
    "With a level and networks, which it cannot exceed, and neither can the caller. The assistant exchanges the code in " +
    "`redirect_to` for an API key that it renews; ending that key, among `GET /api/v1/auth/keys`, ends its access.",
  body: z
    .object({
      request: AuthorizationRequest,
      permissions: PermissionLevel,
      network_ids: z.array(Id).max(1_000).nullable().describe("null for all that the caller may access."),
    })
    .meta({ id: "AssistantConsent" }),
  response: z.object({ redirect_to: z.url().describe("Where to send the browser.") }).meta({ id: "AssistantLetIn" }),
  errors: [
    "not_found",
    "permission_denied",
    "invalid_reference",
    "api_access_disabled",
    "confirmation_required",
    "session_expired",
  ],
});
