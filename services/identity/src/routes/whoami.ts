import { whoami, type Whoami } from "@nts/shared/contract/whoami";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import type { ParentRequest } from "@nts/shared/http/headers";
import { mount, type Router } from "@nts/shared/http/mount";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import { endOf } from "../model/key-lifetime.rules.js";
import { maxLifetimeOf } from "../model/organization.js";
import { nameInLogs } from "../model/collector.rules.js";
import type { CollectorStore } from "../storage/collectors.js";
import type { KeyStore } from "../storage/api-keys.js";
import type { OrganizationStore } from "../storage/organizations.js";
import type { Mail } from "../mail/mail.js";
import { narrowed } from "../model/scopes.rules.js";
import type { SessionStore } from "../storage/sessions.js";
import type { TopologyDirectory } from "../topology/directory.js";
import type { UserStore } from "../storage/users.js";
import { limitationsOf } from "../rights/limitations.rules.js";

export interface WhoamiRoutes {
  readonly keys: Pick<KeyStore, "find">;
  readonly sessions: Pick<SessionStore, "find">;
  readonly users: Pick<UserStore, "find">;
  readonly organizations: OrganizationStore;
  readonly topology: TopologyDirectory;
  readonly collectors: Pick<CollectorStore, "find">;
  readonly mail: Pick<Mail, "isConfigured">;
}

export function mountWhoami(router: Router, routes: WhoamiRoutes): void {
  const { keys, sessions, users, organizations, topology, collectors, mail } = routes;

  mount(router, whoami, async ({ principal, scope, cause }) => {
    const { kind, credentialId, userId, permission } = principal;
    const { organizationId } = scope;
    if (principal.collector !== undefined) return respond.data(await collectorOf(principal, cause));
    const [key, session, user, organization, networkIds] = await Promise.all([
      kind === "key" ? keys.find({ organizationId, userId }, credentialId) : null,
      kind === "session" ? sessions.find(organizationId, userId, credentialId) : null,
      users.find(organizationId, userId),
      organizations.get(organizationId),
      topology.networksIn({ organizationId, networks: "all" }, cause),
    ]);
    const credential = key ?? session;
    const endsAt = key === null ? session?.expires_at : endOf(key, maxLifetimeOf(organization));
    // Ended concurrently.
    if (user === null || credential === null)
      throw new AppError(kind === "key" ? "api_key_invalid" : "session_expired");
    return respond.data({
      kind,
      credential_id: credentialId,
      name: key?.name ?? null,
      expires_at: endsAt?.toISOString() ?? null,
      user: {
        ...{ id: userId, email: user.email, permissions: user.permissions },
        email_verified: user.email_verified === true,
      },
      sends_mail: mail.isConfigured,
      organization: {
        id: organizationId,
        name: organization.name,
        api_access_enabled: organization.api_access_enabled,
      },
      permissions: permission,
      network_ids: narrowed(scope.networks, networkIds),
      limited_by: limitationsOf({ key, user, networkIds }),
    });
  });

  /** A collector, which has no user: its rights are its own. */
  async function collectorOf(
    { credentialId, permission, scope }: UserPrincipal,
    cause: ParentRequest,
  ): Promise<Whoami> {
    const { organizationId } = scope;
    const [collector, organization, networkIds] = await Promise.all([
      collectors.find({ organizationId, networks: "all" }, credentialId),
      organizations.get(organizationId),
      topology.networksIn(scope, cause),
    ]);
    if (collector === null) throw new AppError("api_key_invalid");
    return {
      kind: "key",
      credential_id: credentialId,
      name: collector.name,
      expires_at: null,
      user: { id: credentialId, email: nameInLogs(collector), permissions: permission, email_verified: false },
      sends_mail: mail.isConfigured,
      organization: {
        id: organizationId,
        name: organization.name,
        api_access_enabled: organization.api_access_enabled,
      },
      permissions: permission,
      network_ids: networkIds,
      limited_by: [],
    };
  }
}
