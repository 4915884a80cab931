import { BACKGROUND } from "@nts/shared/work";
import type { ChangeRights } from "../rights/change-rights.js";
import { createAffiliationsOf } from "../storage/affiliations.js";
import { admitsPasswords, type OrganizationDocument } from "../model/organization.js";
import type { OrganizationStore } from "../storage/organizations.js";
import type { UserStore } from "../storage/users.js";
import { AdminProblem } from "./problem.js";

export interface AllowPasswordsOptions {
  readonly users: Pick<UserStore, "findByEmail">;
  readonly organizations: Pick<OrganizationStore, "findMany" | "update">;
  readonly changeRights: ChangeRights;
}

/**
 * Re-enables password login for a user's organization.
 *
 * @param email lower case
 * @param id of the organization, for users of several with password login disabled
 * @throws AdminProblem if there is no such user, or nothing to change
 */
export async function allowPasswords(
  { users, organizations, changeRights }: AllowPasswordsOptions,
  email: string,
  id: string | undefined,
): Promise<OrganizationDocument> {
  const user = await users.findByEmail(email);
  if (user === null) throw new AdminProblem(`No user has the email address ${email}.`);
  const all = (await createAffiliationsOf(organizations)(user)).map(({ organization }) => organization);
  const meant = all.filter((one) => !admitsPasswords(one) && (id === undefined || one._id === id));
  const [current, ...others] = meant;
  if (current === undefined) throw new AdminProblem(`The organization of ${email} lets users sign in with passwords.`);
  if (others.length > 0) {
    const named = meant.map(({ _id, name }) => `${_id} (${name})`).join(", ");
    throw new AdminProblem(`${email} has several; name one with --organization <id>: ${named}.`);
  }
  const saved = await changeRights(BACKGROUND, [current._id], (tx) =>
    organizations.update(current, { password_login: true }, tx),
  );
  if (saved === "conflict") throw new AdminProblem("The organization was changed in the meantime; try again.");
  return saved;
}
