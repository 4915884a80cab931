import type { UserDocument } from "./user.js";

// An account is one document, whichever organizations it belongs to: so whatever changes one of them meets whoever signs in to it.
// The document names one organization itself, as it did when there was one only, and lists what the account is in others.

/** What somebody is in an organization. */
export interface Membership {
  organization_id: string;
  /** When the user joined. */
  created_at: Date;
  updated_at: Date;
  revision: number;
  permissions: UserDocument["permissions"];
  network_ids: string[];
}

/** Organizations that an account can belong to. */
export const MOST_ORGANIZATIONS = 50;

/** All of an account, the one that it names itself first. */
export function membershipsOf(user: UserDocument): Membership[] {
  const { organization_id, created_at, updated_at, revision, permissions, network_ids } = user;
  const own = { organization_id, created_at, updated_at, revision, permissions, network_ids };
  return [own, ...(user.other_memberships ?? [])];
}

/** An account as the user of one of its organizations; null when it does not belong to that one. */
export function userIn(user: UserDocument, organizationId: string): UserDocument | null {
  if (user.organization_id === organizationId) return user;
  const all = membershipsOf(user);
  const own = all.find(({ organization_id }) => organization_id === organizationId);
  return own === undefined ? null : { ...user, ...own, other_memberships: all.filter((one) => one !== own) };
}

/** An account as the user of the organization in which it was signed in to last. */
export function userWhereLast(user: UserDocument): UserDocument {
  return userIn(user, user.last_organization_id ?? user.organization_id) ?? user;
}

/** The members of the document once one of its memberships is another one, or is new. */
export function withMembership(user: UserDocument, membership: Membership): Partial<UserDocument> {
  const { organization_id } = membership;
  if (user.organization_id === organization_id) return membership;
  const others = user.other_memberships ?? [];
  const isNew = others.every((one) => one.organization_id !== organization_id);
  const changed = others.map((one) => (one.organization_id === organization_id ? membership : one));
  return { other_memberships: isNew ? [...changed, membership] : changed };
}

/** The members of the document once it does not belong to an organization any more; null when it belongs to none then. */
export function withoutMembership(user: UserDocument, organizationId: string): Partial<UserDocument> | null {
  const [first, ...others] = membershipsOf(user).filter(({ organization_id }) => organization_id !== organizationId);
  return first === undefined ? null : { ...first, other_memberships: others };
}

/** True of who belongs to more organizations than one. */
export function isOfSeveral({ other_memberships = [] }: Pick<UserDocument, "other_memberships">): boolean {
  return other_memberships.length > 0;
}

/** A filter for the accounts that belong to an organization. @param rights which they have there */
export function inOrganization(
  organizationId: string,
  rights: object = {},
): { $or: [object, { other_memberships: { $elemMatch: object } }] } {
  const there = { organization_id: organizationId, ...rights };
  return { $or: [there, { other_memberships: { $elemMatch: there } }] };
}
