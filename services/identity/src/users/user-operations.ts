import type { Router } from "@nts/shared/http/mount";
import { type AcceptRoute, mountAcceptance } from "../invites/accept-route.js";
import type { ChangeRights } from "../key-changes/change-rights.js";
import { createAffiliationsOf } from "../organizations/affiliations.js";
import { mountOrganizationDeletion, type OrganizationDeletionRoute } from "../organizations/deletion-route.js";
import type { ProviderSettings } from "../providers/settings.js";
import { createJoining } from "../registrations/joining.js";
import { createResetSecondFactor } from "../second-factor/reset.js";
import { type ActingRoute, mountActing } from "../sessions/acting-route.js";
import { createReadCurrentUser } from "../sessions/current-user.js";
import { createSignInProofOf } from "../sessions/sign-in-proof.js";
import type { Stores } from "../stores.js";
import type { TopologyDirectory } from "../topology.js";
import { createApplyRights } from "./apply-rights.js";
import { type LeaveRoute, mountLeave } from "./leave-route.js";
import { type AccountDeletionRoute, mountAccountDeletion } from "./deletion-route.js";
import { createRemoveAccount, createRemoveUser } from "./remove-user.js";

export interface UserOperationsOptions {
  readonly changeRights: ChangeRights;
  readonly topology: TopologyDirectory;
  readonly providers: readonly ProviderSettings[];
}

/** Operations on users and memberships. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the list below says it
export function createUserOperations(stores: Stores, { changeRights, topology, providers }: UserOperationsOptions) {
  const affiliationsOf = createAffiliationsOf(stores.organizations);
  return {
    joining: createJoining(stores),
    applyRights: createApplyRights(stores.users, stores.invites, stores.endedMakers),
    removeUser: createRemoveUser(stores),
    removeAccount: createRemoveAccount(stores),
    resetSecondFactor: createResetSecondFactor({ ...stores, changeRights }),
    affiliationsOf,
    readCurrentUser: createReadCurrentUser(affiliationsOf, topology),
    signInProofOf: createSignInProofOf(providers),
  };
}

type MovingRoutes = LeaveRoute & AccountDeletionRoute & OrganizationDeletionRoute & ActingRoute & AcceptRoute;

/** Operations to join, leave and delete organizations. */
export function mountMoving(router: Router, routes: MovingRoutes): void {
  mountActing(router, routes);
  mountAcceptance(router, routes);
  mountLeave(router, routes);
  mountAccountDeletion(router, routes);
  mountOrganizationDeletion(router, routes);
}
