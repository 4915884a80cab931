import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";

/** Checks that a body names only the caller's own organization. @throws AppError `permission_denied` */
export function requireOwnOrganization(scope: Scope, organizationId: string | undefined): void {
  if (organizationId !== undefined && organizationId !== scope.organizationId)
    throw new AppError("permission_denied", { required: "own_organization" });
}
