import { letAssistantIn, showAssistant } from "@nts/shared/contract/assistants";
import { isAtLeast } from "@nts/shared/contract/endpoint";
import { issueToken, registerAssistant, revokeToken } from "@nts/shared/contract/internal";
import { isWellFormedApiKey } from "@nts/shared/api-key";
import { hashCredential } from "@nts/shared/credential";
import { AppError, validationFailed } from "@nts/shared/errors";
import { mount, mountAny, type Router } from "@nts/shared/http/mount";
import { respond } from "@nts/shared/http/respond";
import { newId } from "@nts/shared/ids";
import type { AuthorizationRequest } from "@nts/shared/contract/assistants";
import { createEndAccess, type EndAccessOptions } from "../flows/assistants/end-access.js";
import { createExchangeCode, type ExchangeCodeOptions } from "../flows/assistants/exchange-code.js";
import { createRenewAccess, type RenewAccessOptions } from "../flows/assistants/renew-access.js";
import {
  type AssistantClient,
  isLoopback,
  isOwn,
  levelIn,
  redirectOf,
  refusal,
  registrationOf,
  requestFault,
  withOutcome,
} from "../model/authorization.rules.js";
import { newKeySettings } from "../model/key.rules.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import { readRefreshToken } from "../secrets/refresh-tokens.js";
import { newToken } from "../secrets/tokens.js";
import type { KeyStore } from "../storage/api-keys.js";
import type { AssistantClients } from "../storage/assistant-clients.js";
import type { OrganizationStore } from "../storage/organizations.js";
import { grantorOf, type GrantorSources } from "./key-caller.js";

export interface AssistantRoutes
  extends
    GrantorSources,
    EndAccessOptions,
    Omit<ExchangeCodeOptions, "endAccess" | "keys">,
    Omit<RenewAccessOptions, "endAccess" | "keys"> {
  readonly assistantClients: AssistantClients;
  readonly keys: KeyStore;
  readonly organizations: Pick<OrganizationStore, "get">;
  readonly requireConfirmed: RequireConfirmed;
  readonly publicUrl: string;
}

/** What a person sees and decides, and what the gateway passes on from assistants. */
export function mountAssistants(router: Router, routes: AssistantRoutes): void {
  const issuer = routes.publicUrl.replace(/\/+$/, "");
  const server = { issuer, resources: [`${issuer}/mcp`, issuer] };
  mountPersonSide(router, routes, server);
  mountAssistantSide(router, routes, server);
}

/** How this server is called. */
interface OwnNames {
  readonly issuer: string;
  /** What tokens are for, the preferred one first. */
  readonly resources: readonly string[];
}

interface Asking {
  readonly client: AssistantClient;
  readonly redirect: string;
}

function mountPersonSide(router: Router, routes: AssistantRoutes, { issuer, resources }: OwnNames): void {
  const { assistantClients, codes, organizations, requireConfirmed } = routes;

  mount(router, showAssistant, async ({ body }) => {
    const { client, redirect } = await askingOf(body);
    const fault = requestFault(body, resources);
    const { error, description } = fault ?? { error: "access_denied", description: "the person has refused" };
    const outcome = { error, error_description: description };
    return respond.data({
      ...{ name: client.name, returns_to: new URL(redirect).host, is_local: isLoopback(redirect) },
      ...{ registered_at: client.created_at.toISOString(), permissions: levelIn(body.scope) },
      problem: fault?.description ?? null,
      refuse_to: withOutcome(redirect, outcome, { state: body.state, issuer }),
    });
  });

  mount(router, letAssistantIn, async ({ principal, body, cause }) => {
    const { request, permissions, network_ids } = body;
    const { client, redirect } = await askingOf(request);
    const fault = requestFault(request, resources);
    if (fault !== null) throw validationFailed({ path: "request", message: fault.description });
    if (isAtLeast(permissions, "Admin")) await requireConfirmed(principal);
    const grantor = await grantorOf(routes, principal, cause);
    const { organizationId: organization_id, userId: user_id } = grantor;
    const now = new Date();
    // The rules of keys, because it becomes one.
    const settings = newKeySettings(
      { name: client.name, organization_id, user_id, tags: [], permissions, network_ids },
      grantor,
      now,
    );
    if (!(await organizations.get(organization_id)).api_access_enabled) throw new AppError("api_access_disabled");
    const code = newToken();
    const consent = {
      ...{ client_id: client._id, client_name: client.name, redirect_uri: redirect },
      ...{ code_challenge: request.code_challenge ?? "", user_id, organization_id },
      ...{ session_id: principal.credentialId, permissions, network_ids: settings.network_ids, key_id: newId() },
      ...(principal.scope.isUnverified && { is_unverified: true as const }),
    };
    await codes.insert(code, consent, now);
    return respond.data({ redirect_to: withOutcome(redirect, { code }, { state: request.state, issuer }) });
  });

  /** @throws AppError `not_found` if the browser must not be sent back */
  async function askingOf(request: AuthorizationRequest): Promise<Asking> {
    const client = await assistantClients.find(request.client_id, new Date());
    const redirect = client && redirectOf(client, request.redirect_uri);
    if (client === null || redirect === null) throw new AppError("not_found", { entity: "Assistant" });
    return { client, redirect };
  }
}

function mountAssistantSide(router: Router, routes: AssistantRoutes, { resources }: OwnNames): void {
  const { assistantClients, keys } = routes;
  const endAccess = createEndAccess(routes);
  const exchangeCode = createExchangeCode({ ...routes, endAccess });
  const renewAccess = createRenewAccess({ ...routes, endAccess });

  mountAny(router, registerAssistant, async ({ body, clientAddress }) => {
    const given = registrationOf(body);
    if ("error" in given) return respond.data(given);
    const client = { _id: newId(), ...given, created_at: new Date() };
    await assistantClients.insert(client, clientAddress);
    return respond.data({
      ...{ status: "registered" as const, client_id: client._id, client_name: client.name },
      ...{ redirect_uris: [...client.redirect_uris], issued_at: Math.floor(client.created_at.getTime() / 1_000) },
    });
  });

  mountAny(router, issueToken, async ({ body, work }) => {
    if (!isOwn(body.resource, resources))
      return respond.data(refusal("invalid_target", `resource must be ${resources[0]}`));
    if (body.grant_type === "authorization_code") return respond.data(await exchangeCode(work, body));
    if (body.grant_type === "refresh_token") return respond.data(await renewAccess(work, body));
    const known = "grant_type must be authorization_code or refresh_token";
    return respond.data(refusal(body.grant_type === undefined ? "invalid_request" : "unsupported_grant_type", known));
  });

  mountAny(router, revokeToken, async ({ body: { token }, work }) => {
    const refresh = readRefreshToken(token);
    const [key = null] = isWellFormedApiKey(token)
      ? await keys.findBySecrets([hashCredential(token)])
      : [refresh && (await keys.findByFamily(refresh.family))];
    // Keys that people made are not tokens of assistants.
    if (key?.grant !== undefined) await endAccess(work, key);
    return respond.data(null);
  });
}
