import type { Permission } from "@nts/shared/contract/endpoint";
import { SERVICE_DOMAIN, type User } from "@nts/shared/contract/users";
import type { OfferedFactor, SecondFactor } from "./second-factor.js";
import type { LinkedIdentity } from "./linked-identity.rules.js";
import { narrowed, networksOf } from "./scopes.rules.js";

export interface UserDocument {
  _id: string;
  /** The stored form, see `Form`; absent for the first one. */
  form?: number;
  created_at: Date;
  updated_at: Date;
  revision: number;
  /** Absent for people. */
  kind?: "service";
  /** Of a service account. */
  name?: string;
  /** Lower case; of a service account, a name that receives no mail. */
  email: string;
  /** The address is verified; absent if it is not. */
  email_verified?: boolean;
  password_hash: string;
  /** Absent if there is none. */
  second_factor?: SecondFactor;
  /** One that is being set up. */
  second_factor_offer?: OfferedFactor;
  /** Linked provider accounts; absent if there are none. */
  identities?: LinkedIdentity[];
  /** A random password, of a user created by a provider. */
  passwordless?: boolean;
  /** When an operator disabled the account; absent or null if it is enabled. */
  disabled_at?: Date | null;
  /** Number of logins; absent before the first. */
  logins?: number;
  /** From here on, with times and revision: the membership of one organization, see `Membership`. */
  organization_id: string;
  permissions: Permission;
  /** Granted networks; none from Admin upwards, who have all. */
  network_ids: string[];
  /** Memberships of other organizations. */
  other_memberships?: Membership[];
  /** Where a session last started. */
  last_organization_id?: string;
}

/** A membership of an organization. */
export interface Membership {
  organization_id: string;
  /** When the user joined. */
  created_at: Date;
  updated_at: Date;
  revision: number;
  permissions: Permission;
  network_ids: string[];
}

/** A user with a second factor. */
export type GuardedUser = UserDocument & { readonly second_factor: SecondFactor };

export function isGuarded(user: UserDocument): user is GuardedUser {
  return user.second_factor !== undefined;
}

/** Whether sign-in is blocked and API keys are rejected. */
export function isDisabled({ disabled_at }: Pick<UserDocument, "disabled_at">): boolean {
  return (disabled_at ?? null) !== null;
}

/** A new user. */
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

/** A new service account. @param given with a hash that is that of no password */
export function newServiceAccount(given: {
  readonly id: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly organizationId: string;
  readonly permissions: Permission;
  readonly networkIds: string[];
  readonly now: Date;
}): UserDocument {
  const { id, name, ...own } = given;
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  // The end of an id is random.
  const email = `${plain.replace(/^-|-$/g, "")}.${id.slice(-12)}@${SERVICE_DOMAIN}`.replace(/^\./, "");
  return { ...newUser({ ...own, id, email }), kind: "service", name };
}

/** A user as returned to clients. @param visibleIds existing networks visible to the caller */
export function userResponse(user: UserDocument, visibleIds: readonly string[]): User {
  return {
    id: user._id,
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
    kind: user.kind ?? "person",
    name: user.name ?? null,
    email: user.email,
    email_verified: user.email_verified === true,
    organization_id: user.organization_id,
    permissions: user.permissions,
    network_ids: narrowed(networksOf(user), visibleIds),
    second_factor: user.second_factor !== undefined,
    disabled: isDisabled(user),
  };
}
