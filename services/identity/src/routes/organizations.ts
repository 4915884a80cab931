import {
  getOrganization,
  type Organization,
  patchOrganization,
  updateOrganization,
  updateOrganizationProfile,
} from "@nts/shared/contract/organizations";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import { mountUpdate } from "@nts/shared/http/mount-update";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { requireRevision } from "@nts/shared/revision";
import type { ChangeRights } from "../rights/change-rights.js";
import { changesTo } from "../model/revisions.rules.js";
import type { SessionStore } from "../storage/sessions.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import { saveIn, untilSaved } from "../storage/until-saved.js";
import { organizationResponse, profileResponse } from "../model/organization.js";
import type { OrganizationStore } from "../storage/organizations.js";

/** Settings that decide which credentials are accepted. */
const RIGHTS = ["api_access_enabled", "require_second_factor", "password_login", "max_key_lifetime_days"] as const;

export interface OrganizationRoutes {
  readonly organizations: OrganizationStore;
  readonly transaction: RunTransaction;
  readonly requireConfirmed: RequireConfirmed;
  readonly sessions: Pick<SessionStore, "find">;
  readonly changeRights: ChangeRights;
}

export function mountOrganizations(router: Router, routes: OrganizationRoutes): void {
  const { organizations, sessions, transaction, requireConfirmed, changeRights } = routes;

  mount(router, getOrganization, async ({ scope }) => {
    const organization = await organizations.get(scope.organizationId);
    return respond.data(organizationResponse(organization), { revision: organization.revision });
  });

  const updates = { put: updateOrganization, patch: patchOrganization };
  mountUpdate(router, updates, async ({ principal, scope, params: { id }, requestedState, precondition, work }) => {
    if (id !== scope.organizationId) throw new AppError("not_found", { entity: "Organization" });
    const saved = await untilSaved(work, async () => {
      const current = await organizations.get(id);
      requireRevision(precondition, current.revision);
      const response = organizationResponse(current);
      const { name, ...settings } = requestedState(response);
      const changes = changesTo({ ...current, ...rightsIn(response) }, { name, ...rightsIn(settings) });
      if (Object.keys(changes).length === 0) return current;
      // Requires a second factor of the caller, to prevent a lockout.
      if (changes.require_second_factor !== undefined) await requireConfirmed(principal, true);
      // Requires that the caller can sign in without a password.
      if (changes.password_login === false) await requireProvider(principal);
      return RIGHTS.some((member) => member in changes)
        ? changeRights(work, [id], (tx) => organizations.update(current, changes, tx))
        : saveIn(transaction, work, id, (tx) => organizations.update(current, changes, tx));
    });
    return respond.data(organizationResponse(saved), { revision: saved.revision });
  });

  async function requireProvider({ kind, credentialId, userId, scope }: UserPrincipal): Promise<void> {
    if (kind === "key") throw new AppError("session_required");
    const session = await sessions.find(scope.organizationId, userId, credentialId);
    if (session?.provider === undefined) throw new AppError("provider_required");
  }

  mount(router, updateOrganizationProfile, async ({ scope, body: { company_size, job_title }, precondition, work }) => {
    const saved = await untilSaved(work, async () => {
      const current = await organizations.get(scope.organizationId);
      requireRevision(precondition, current.revision);
      const changes = changesTo(current, { company_size, job_title });
      return Object.keys(changes).length === 0
        ? current
        : saveIn(transaction, work, current._id, (tx) => organizations.update(current, changes, tx));
    });
    return respond.data(profileResponse(saved), { revision: saved.revision });
  });
}

type Rights = Pick<Organization, (typeof RIGHTS)[number]>;

function rightsIn<T extends Partial<Rights>>(given: T): Pick<T, keyof Rights> {
  const { api_access_enabled, require_second_factor, password_login, max_key_lifetime_days } = given;
  return { api_access_enabled, require_second_factor, password_login, max_key_lifetime_days };
}
