import type { Permission } from "@nts/shared/contract/endpoint";
import type { User } from "@nts/shared/contract/users";

export interface UserDocument {
  _id: string;
  created_at: Date;
  updated_at: Date;
  revision: number;
  /** Lower case. */
  email: string;
  password_hash: string;
  organization_id: string;
  permissions: Permission;
  /** Networks granted; without meaning from Admin upwards. */
  network_ids: string[];
}

/** The first user of a new organization. */
export function newOwner(given: {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly organizationId: string;
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
    permissions: "Owner",
    network_ids: [],
  };
}

/** A user as answered. @param networkIds the networks the user may use now */
export function userAnswer(user: UserDocument, networkIds: string[]): User {
  return {
    id: user._id,
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
    email: user.email,
    organization_id: user.organization_id,
    permissions: user.permissions,
    network_ids: networkIds,
  };
}
