import { BACKGROUND } from "@nts/shared/work";
import { AppError } from "@nts/shared/errors";
import type { OrganizationStore } from "../storage/organizations.js";
import { foundOrganization, type RegisterUser } from "../flows/registration/register-user.js";
import type { UserDocument } from "../model/user.js";
import { AdminProblem } from "./problem.js";

export interface CreateOwnerOptions {
  readonly registerUser: RegisterUser;
  readonly organizations: Pick<OrganizationStore, "insert">;
}

export interface NewOwner {
  /** Lower case. */
  readonly email: string;
  readonly password: string;
  /** Name of the new organization, if not the default. */
  readonly organization: string | undefined;
}

/**
 * Creates an organization and its first owner, even if registration is closed.
 *
 * @throws AdminProblem if the email address is in use
 */
export async function createOwner(
  { registerUser, organizations }: CreateOwnerOptions,
  { email, password, organization: name }: NewOwner,
): Promise<UserDocument> {
  try {
    const { user } = await registerUser(BACKGROUND, { email, password }, [], async (founder, tx) => ({
      user: await foundOrganization(organizations, { name, founder }, tx),
    }));
    return user;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "already_exists") throw error;
    throw new AdminProblem(`The email address ${email} is in use.`);
  }
}
