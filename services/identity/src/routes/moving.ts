import type { Router } from "@nts/shared/http/mount";
import { type AcceptRoute, mountAcceptance } from "./invite-acceptance.js";
import { mountOrganizationDeletion, type OrganizationDeletionRoute } from "./organization-deletion.js";
import { type ActingRoute, mountActing } from "./acting.js";
import { type AccountDeletionRoute, mountAccountDeletion } from "./account-deletion.js";
import { type LeaveRoute, mountLeave } from "./leaving.js";

type MovingRoutes = LeaveRoute & AccountDeletionRoute & OrganizationDeletionRoute & ActingRoute & AcceptRoute;

/** Operations to join, leave and delete organizations. */
export function mountMoving(router: Router, routes: MovingRoutes): void {
  mountActing(router, routes);
  mountAcceptance(router, routes);
  mountLeave(router, routes);
  mountAccountDeletion(router, routes);
  mountOrganizationDeletion(router, routes);
}
