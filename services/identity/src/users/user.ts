import type { Permission } from "@nts/shared/contract/endpoint";
import type { User } from "@nts/shared/contract/users";
import type { OfferedFactor, SecondFactor } from "../second-factor/factor.js";
import type { LinkedIdentity } from "../providers/identity.rules.js";
import { narrowed, networksOf } from "../scopes.rules.js";
import { isDisabled } from "./disabled.rules.js";
import type { Membership } from "./memberships.rules.js";

export interface UserDocument {
  _id: string;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number;
  created_at: Date;
  updated_at: Date;
  revision: number;
  /** Lower case. */
  email: string;
  /** Somebody has proved that the address is theirs; absent where nobody has. */
  email_verified?: boolean;
  /** Beside a second factor as `withheld` says. */
  password_hash: string;
  /** Absent when there is none. */
  second_factor?: SecondFactor;
  /** One that is being set up. */
  second_factor_offer?: OfferedFactor;
  /** By whom the user signs in beside a password; absent when by nobody. */
  identities?: LinkedIdentity[];
  /** Nobody knows the password: it was made up where a provider brought the user. */
  passwordless?: boolean;
  /** When an operator has disabled the account; absent or null where none has. */
  disabled_at?: Date | null;
  /** How often the user has logged in; absent before the first time. */
  logins?: number;
  /** From here on, together with the times and the revision: what the account is in one organization, see `Membership`. */
  organization_id: string;
  permissions: Permission;
  /** Networks granted; none from Admin upwards, where all can be used. */
  network_ids: string[];
  /** In which other organizations the account is, and as what. */
  other_memberships?: Membership[];
  /** In which a session began last. */
  last_organization_id?: string;
}

/** A user who has done nothing yet. */
export function newUser(given: {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly organizationId: string;
  readonly permissions: Permission;
  readonly networkIds: string[];
  readonly now: Date;
}): UserDocument {
  return {
    _id: given.id,
    created_at: given.now,
    updated_at: given.now,
    revision: 1,
    email: given.email,
    password_hash: given.passwordHash,
    organization_id: given.organizationId,
    permissions: given.permissions,
    network_ids: given.networkIds,
  };
}

/** A user as answered. @param visibleIds networks that exist and that the caller may know of */
export function userAnswer(user: UserDocument, visibleIds: readonly string[]): User {
  return {
    id: user._id,
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
    email: user.email,
    email_verified: user.email_verified === true,
    organization_id: user.organization_id,
    permissions: user.permissions,
    network_ids: narrowed(networksOf(user), visibleIds),
    second_factor: user.second_factor !== undefined,
    disabled: isDisabled(user),
  };
}
