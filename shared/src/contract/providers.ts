import { z } from "zod";
import { Nothing, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { upload } from "./upload.js";
import { Proof, PROOF_FAULTS } from "./users.js";

/** An OpenID Connect provider by which users sign in. @see docs/access.md */
export const Provider = z
  .object({ id: z.string().describe("Used in paths."), name: z.string().describe("Display name.") })
  .meta({ id: "Provider" });
export type Provider = z.infer<typeof Provider>;

/** An account at a provider that signs the caller in. */
export const Identity = z
  .object({
    provider: z.string(),
    name: z.string().describe("Name of the provider, or its id if it is no longer configured."),
    email: z.string().nullable().describe("As last reported by the provider."),
    linked_at: Timestamp,
    last_used: Timestamp.nullable(),
  })
  .meta({ id: "Identity" });
export type Identity = z.infer<typeof Identity>;

const common = { upstream: "identity", permission: null, tag: "Authentication" } as const;
const byProvider = z.object({ provider: z.string().max(64).describe("The id of a provider.") });
const path = "/api/auth/oidc/{provider}";

/** A path on this server; rejects what browsers would take for another host. */
const ReturnTo = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[\x21-\x7e]*$/, "must be a path on this server")
  .default("/")
  .describe("The path to go to afterwards.");
const AuthorizationUrl = z
  .object({ authorization_url: z.string().describe("Where to send the browser.") })
  .meta({ id: "AuthorizationUrl" });
const BEGINNING = ["not_found", "provider_failed", "provider_unavailable"] as const;

export const listProviders = endpoint({
  ...common,
  operationId: "list_providers",
  method: "get",
  path: "/api/auth/providers",
  credential: "none",
  summary: "List the identity providers available for sign-in",
  description: "Needs no credential: it is what a page for signing in shows.",
  response: z.array(Provider).meta({ id: "Providers" }),
  errors: [],
});

export const beginProviderSignIn = endpoint({
  ...common,
  operationId: "begin_provider_sign_in",
  method: "get",
  path,
  credential: "none",
  redirects: true,
  summary: "Start a sign-in with a provider by redirecting the browser",
  description: "Sets a cookie that is required to complete the sign-in within ten minutes.",
  params: byProvider,
  query: z.strictObject({ return_to: ReturnTo }),
  response: Nothing,
  errors: BEGINNING,
});

export const prepareProviderSignIn = endpoint({
  ...common,
  operationId: "prepare_provider_sign_in",
  method: "post",
  path,
  credential: "none",
  summary: "Start a sign-in with a provider, optionally with an invite, for pages that redirect by themselves",
  description: "Sets a cookie that is required to complete the sign-in within ten minutes.",
  params: byProvider,
  body: z
    .object({ return_to: ReturnTo, invite_token: z.string().trim().min(1).max(200).optional() })
    .meta({ id: "ProviderSignIn" }),
  response: AuthorizationUrl,
  errors: [...BEGINNING, "write_conflict"],
});

export const linkProvider = endpoint({
  ...common,
  operationId: "link_provider",
  method: "post",
  path: `${path}/link`,
  credential: "session",
  summary: "Start linking an account at a provider to the caller",
  description: "The account used to sign in at the provider is linked.",
  params: byProvider,
  body: Proof.meta({ id: "ProviderLink" }),
  response: AuthorizationUrl,
  errors: [...BEGINNING, ...PROOF_FAULTS, "write_conflict"],
});

export const finishProviderSignIn = endpoint({
  ...common,
  operationId: "finish_provider_sign_in",
  method: "get",
  path: `${path}/callback`,
  credential: "none",
  endsSessions: true,
  bindsBrowser: true,
  redirects: true,
  summary: "Callback of a provider: starts the session",
  description:
    "Always redirects: to the requested path, to the second factor, or to a page with `problem=` and an error code.",
  params: byProvider,
  query: z.looseObject({
    state: z.string().max(512).optional(),
    code: z.string().max(8192).optional(),
    iss: z.string().max(2048).optional(),
    error: z.string().max(512).optional(),
  }),
  response: Nothing,
  errors: [],
});

export const providerLogout = endpoint({
  ...common,
  operationId: "provider_logout",
  endsAccess: true,
  method: "post",
  path: `${path}/logout`,
  credential: "none",
  summary: "End the sessions that a provider has ended (back-channel logout)",
  description:
    "The form contains a `logout_token` signed by the provider. The sessions are rejected by every gateway when the response arrives.",
  params: byProvider,
  ...upload({
    contentTypes: ["application/x-www-form-urlencoded"],
    form: z.object({ logout_token: z.string() }),
    limitBytes: 65_536,
    description: "A form with the field `logout_token`.",
  }),
  response: Nothing,
  errors: ["not_found", "logout_token_invalid", "provider_failed", "provider_unavailable", "write_conflict"],
});

export const listIdentities = endpoint({
  ...common,
  operationId: "list_identities",
  method: "get",
  path: "/api/auth/identities",
  credential: "session",
  summary: "List the linked provider accounts of the caller",
  description: "With each, the caller can sign in.",
  response: z
    .object({
      identities: z.array(Identity),
      has_password: z.boolean().describe("Whether the caller can sign in with a password."),
    })
    .meta({ id: "Identities" }),
  errors: [],
});

export const unlinkProvider = endpoint({
  ...common,
  operationId: "unlink_provider",
  method: "delete",
  path: "/api/auth/identities/{provider}",
  credential: "session",
  endsSessions: true,
  summary: "Unlink a provider, ending the sessions started with it",
  description: "The last way to sign in cannot be unlinked.",
  params: byProvider,
  response: Nothing,
  errors: ["not_found", "confirmation_required", "last_sign_in", "write_conflict"],
});
