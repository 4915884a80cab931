import { isAtLeast, type Endpoint } from "../contract/endpoint.js";
import { AppError } from "../errors.js";
import { isUser, type Principal, type UserPrincipal } from "./tenancy.js";

/**
 * Rejects callers that may not use an operation at all, whatever it concerns. Applied by the gateway and by every
 * service.
 *
 * @throws AppError `not_authenticated` · `session_required` · `permission_denied` with what is `required`: a level,
 * `all_networks`, `full_scope`, a `collector`, or a `session` · `confirmation_required`
 * @see docs/api.md "Permissions"
 */
export function authorize(
  operation: Pick<
    Endpoint,
    "credential" | "permission" | "wholeOrganization" | "confirmed" | "outlivesKeys" | "collects" | "ofCollector"
  >,
  principal: Principal,
): void {
  const { credential, permission, wholeOrganization, confirmed, outlivesKeys, collects, ofCollector } = operation;
  if (credential === "none" || credential === "optional") return;
  if (credential === "process") {
    if (principal.kind !== "process") throw new AppError("permission_denied");
    return;
  }
  if (credential === "share") {
    if (principal.kind === "share") return;
    if (isUser(principal)) throw new AppError("permission_denied", { required: "share" });
  }
  // Also of a share, which is for one operation alone.
  if (!isUser(principal)) throw new AppError("not_authenticated");
  if (credential === "session" && principal.kind !== "session") throw new AppError("session_required");
  if (ofCollector === true && principal.collector === undefined)
    throw new AppError("permission_denied", { required: "collector" });
  if (principal.isCollecting === true && collects !== true)
    throw new AppError("permission_denied", { required: "full_scope" });
  if (permission !== null && !isAtLeast(principal.permission, permission))
    throw new AppError("permission_denied", { required: permission });
  if (wholeOrganization === true) requireAllNetworks(principal);
  if (outlivesKeys === true && principal.isLimited === true)
    throw new AppError("permission_denied", { required: "session" });
  if (confirmed === true && principal.confirmedUntil !== undefined && principal.confirmedUntil <= Date.now())
    throw new AppError("confirmation_required");
}

/** A key that is limited to networks changes nothing of the whole organization. @throws AppError `permission_denied` */
export function requireAllNetworks({ kind, scope }: UserPrincipal): void {
  if (kind === "key" && scope.networks !== "all") throw new AppError("permission_denied", { required: "all_networks" });
}
