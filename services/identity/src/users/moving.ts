import type { Router } from "@nts/shared/http/mount";
import { type AcceptRoute, mountAcceptance } from "../invites/accept-route.js";
import { mountOrganizationDeletion, type OrganizationDeletionRoute } from "../organizations/deletion-route.js";
import { type ActingRoute, mountActing } from "../sessions/acting-route.js";
import { type AccountDeletionRoute, mountAccountDeletion } from "./deletion-route.js";
import { type LeaveRoute, mountLeave } from "./leave-route.js";

type MovingRoutes = LeaveRoute & AccountDeletionRoute & OrganizationDeletionRoute & ActingRoute & AcceptRoute;

/** Operations to join, leave and delete organizations. */
export function mountMoving(router: Router, routes: MovingRoutes): void {
  mountActing(router, routes);
  mountAcceptance(router, routes);
  mountLeave(router, routes);
  mountAccountDeletion(router, routes);
  mountOrganizationDeletion(router, routes);
}
