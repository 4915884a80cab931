import type { Membership, UserDocument } from "./user.js";

// An account is one document for all its organizations, so that changes conflict with sign-ins. It names one
// organization directly, and lists the other memberships.

/** Maximum organizations of an account. */
export const MOST_ORGANIZATIONS = 50;

/** All memberships of an account, the directly named one first. */
export function membershipsOf(user: UserDocument): Membership[] {
  const { organization_id, created_at, updated_at, revision, permissions, network_ids } = user;
  const own = { organization_id, created_at, updated_at, revision, permissions, network_ids };
  return [own, ...(user.other_memberships ?? [])];
}

/** An account as a user of one organization; null if not a member. */
export function userIn(user: UserDocument, organizationId: string): UserDocument | null {
  if (user.organization_id === organizationId) return user;
  const all = membershipsOf(user);
  const own = all.find(({ organization_id }) => organization_id === organizationId);
  return own === undefined ? null : { ...user, ...own, other_memberships: all.filter((one) => one !== own) };
}

/** An account as a user of the organization used last. */
export function userWhereLast(user: UserDocument): UserDocument {
  return userIn(user, user.last_organization_id ?? user.organization_id) ?? user;
}

/** The document's members after adding or changing a membership. */
export function withMembership(user: UserDocument, membership: Membership): Partial<UserDocument> {
  const { organization_id } = membership;
  if (user.organization_id === organization_id) return membership;
  const others = user.other_memberships ?? [];
  const isNew = others.every((one) => one.organization_id !== organization_id);
  const changed = others.map((one) => (one.organization_id === organization_id ? membership : one));
  return { other_memberships: isNew ? [...changed, membership] : changed };
}

/** The document's members after removing a membership; null if it was the last. */
export function withoutMembership(user: UserDocument, organizationId: string): Partial<UserDocument> | null {
  const [first, ...others] = membershipsOf(user).filter(({ organization_id }) => organization_id !== organizationId);
  return first === undefined ? null : { ...first, other_memberships: others };
}

/** True with more than one organization. */
export function isOfSeveral({ other_memberships = [] }: Pick<UserDocument, "other_memberships">): boolean {
  return other_memberships.length > 0;
}

/** A filter for the accounts of an organization. @param rights which they have there */
export function inOrganization(
  organizationId: string,
  rights: object = {},
): { $or: [object, { other_memberships: { $elemMatch: object } }] } {
  const there = { organization_id: organizationId, ...rights };
  return { $or: [there, { other_memberships: { $elemMatch: there } }] };
}
