import { BACKGROUND } from "@nts/shared/work";
import type { ChangeRights } from "../key-changes/change-rights.js";
import { admitsPasswords, type OrganizationDocument } from "../organizations/organization.js";
import type { OrganizationStore } from "../organizations/store.js";
import type { UserStore } from "../users/store.js";
import { AdminProblem } from "./problem.js";

export interface AllowPasswordsOptions {
  readonly users: Pick<UserStore, "findByEmail">;
  readonly organizations: Pick<OrganizationStore, "get" | "update">;
  readonly changeRights: ChangeRights;
}

/**
 * Lets the organization of a user sign in with passwords again.
 *
 * @param email lower case
 * @throws AdminProblem when there is no such user, or it does so already
 */
export async function allowPasswords(
  { users, organizations, changeRights }: AllowPasswordsOptions,
  email: string,
): Promise<OrganizationDocument> {
  const user = await users.findByEmail(email);
  if (user === null) throw new AdminProblem(`No user has the email address ${email}.`);
  const current = await organizations.get(user.organization_id);
  if (admitsPasswords(current))
    throw new AdminProblem(`The organization of ${email} lets users sign in with passwords.`);
  const saved = await changeRights(BACKGROUND, [current._id], (tx) =>
    organizations.update(current, { password_login: true }, tx),
  );
  if (saved === "conflict") throw new AdminProblem("The organization was changed in the meantime; try again.");
  return saved;
}
