import { isAtLeast, type Endpoint } from "../contract/endpoint.js";
import { AppError } from "../errors.js";
import type { Principal } from "./tenancy.js";

/**
 * Refuses a caller that may not call an operation at all, whatever it is about. The gateway has checked the same; a
 * service does not rely on it.
 *
 * @throws AppError `not_authenticated` · `session_required` · `permission_denied` with the level that is `required`
 * @see README "Who may do what"
 */
export function authorize(operation: Pick<Endpoint, "credential" | "permission">, principal: Principal): void {
  const { credential, permission } = operation;
  if (credential === "none" || credential === "optional") return;
  if (credential === "process") {
    if (principal.kind !== "process") throw new AppError("permission_denied");
    return;
  }
  if (principal.kind === "anonymous" || principal.kind === "process") throw new AppError("not_authenticated");
  if (credential === "session" && principal.kind !== "session") throw new AppError("session_required");
  if (permission !== null && !isAtLeast(principal.permission, permission))
    throw new AppError("permission_denied", { required: permission });
}
