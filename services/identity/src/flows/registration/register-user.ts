import type { ClientSession } from "mongodb";
import type { Registration } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { newId } from "@nts/shared/ids";
import { isDuplicateKey } from "@nts/shared/mongo/faults";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { DEFAULT_ORGANIZATION_NAME, newOrganization } from "../../model/organization.js";
import type { OrganizationStore } from "../../storage/organizations.js";
import type { NoteAccount } from "../../storage/first-account.js";
import type { Work } from "@nts/shared/work";
import type { Passwords } from "../../secrets/passwords.js";
import type { UserStore } from "../../storage/users.js";
import { newUser, type UserDocument } from "../../model/user.js";

/** A future user, of any organization. */
export type Candidate = Pick<Parameters<typeof newUser>[0], "id" | "email" | "passwordHash" | "now">;

export interface RegisterUserOptions {
  readonly users: Pick<UserStore, "insert" | "freeEmail">;
  readonly transaction: RunTransaction;
  readonly passwords: Pick<Passwords, "hash">;
  readonly noteAccount: NoteAccount;
}

/**
 * Registers a user in one transaction with everything created with it.
 *
 * @param work the request
 * @param keys further write keys of the transaction
 * @param admit places the candidate in an organization, and returns the user to store
 * @throws AppError `already_exists` if the email address is in use
 */
export type RegisterUser = <T extends { readonly user: UserDocument }>(
  work: Work,
  registration: Pick<Registration, "email" | "password">,
  keys: readonly string[],
  admit: (candidate: Candidate, tx: ClientSession) => Promise<T>,
) => Promise<T>;

export function createRegisterUser({ users, transaction, passwords, noteAccount }: RegisterUserOptions): RegisterUser {
  return async (work, { email, password }, keys, admit) => {
    const candidate = { id: newId(), email, passwordHash: await passwords.hash(password, work), now: new Date() };
    return refusingUsedEmail(() =>
      transaction(work, [`email:${email}`, ...keys], async (tx) => {
        await users.freeEmail(email, tx);
        const admitted = await admit(candidate, tx);
        await users.insert(admitted.user, tx);
        await noteAccount(tx);
        return admitted;
      }),
    );
  };
}

export interface Founding {
  readonly name: string | undefined;
  readonly founder: Candidate;
  /** Small quotas apply until an Owner has verified the address. */
  readonly awaitsVerification?: boolean;
}

/** Creates an organization, and returns its first owner. */
export async function foundOrganization(
  organizations: Pick<OrganizationStore, "insert">,
  { name = DEFAULT_ORGANIZATION_NAME, founder, awaitsVerification = false }: Founding,
  tx: ClientSession,
): Promise<UserDocument> {
  const organization = newOrganization({ id: newId(), name, now: founder.now, awaitsVerification });
  await organizations.insert(organization, tx);
  return newUser({ ...founder, organizationId: organization._id, permissions: "Owner", networkIds: [] });
}

/** Only the email address of a new user can conflict. */
async function refusingUsedEmail<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicateKey(error) ? new AppError("already_exists", { entity: "User", field: "email" }, error) : error;
  }
}
