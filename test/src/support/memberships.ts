/** Users of several organizations. */
import { acceptInvite, createInvite, type InviteCreate } from "@nts/shared/contract/invites";
import type { DataOf, Permission } from "@nts/shared/contract/endpoint";
import {
  actInOrganization,
  type CurrentUser,
  getCurrentUser,
  getUser,
  listUsers,
  login,
  type Membership,
  type User,
} from "@nts/shared/contract/users";
import { type Direct, type DirectResponse, type DirectKey, type Person, tokenOf } from "./direct.js";

/** Joins the organization of an owner with the session of {@link guest}, which keeps its organization. */
export async function joinOrganization(
  identity: Direct,
  guest: Person,
  owner: Person,
  invite: Partial<InviteCreate> = {},
): Promise<Membership> {
  const body = { permissions: "Viewer", ...invite } as const;
  const { token } = await identity.data(createInvite, { as: owner.principal, body });
  return identity.data(acceptInvite, { as: guest.principal, body: { token } });
}

/** Switches the organization of a session. @throws Error when it is rejected */
export async function switchOrganization(identity: Direct, person: Person, organizationId: string): Promise<Person> {
  const body = { organization_id: organizationId };
  const response = await identity.send(actInOrganization, { as: person.principal, body });
  return personInSessionOf(identity, person, response);
}

/** The person in the session that a response has begun. */
export async function personInSessionOf(
  identity: Direct,
  person: Person,
  response: DirectResponse<unknown>,
): Promise<Person> {
  const token = tokenOf(response.headers);
  const verified = await identity.verify("session", token);
  if (verified.status !== "valid") throw new Error(`no session: ${response.text}`);
  const { credential_id: credentialId, organization_id: organizationId, permission, networks } = verified.principal;
  const principal = { ...person.principal, credentialId, permission, scope: { organizationId, networks } };
  return { ...person, organizationId, token, principal };
}

/** An Owner of one organization who is also a member of another: with a session and a key in each. */
export interface Guest {
  readonly host: Person;
  readonly home: Person;
  readonly away: Person;
  readonly keys: { readonly home: DirectKey; readonly away: DirectKey };
}

/** @param permissions of the guest in the organization of the host */
export async function aGuestWithKeys(identity: Direct, permissions: Permission): Promise<Guest> {
  const host = await identity.aPerson();
  const home = await identity.aPerson();
  await joinOrganization(identity, home, host, { permissions });
  const away = await switchOrganization(identity, await identity.logIn(home), host.organizationId);
  const keys = { home: await identity.aKey(home), away: await identity.aKey(away, { permissions }) };
  return { host, home, away, keys };
}

export interface IdentityQueries {
  /** The level of a credential, or the code of its rejection. */
  stateOf(kind: "key" | "session", secret: string): Promise<string>;
  /** Ids of the users of the organization in which a person acts. */
  idsIn(person: Person): Promise<string[]>;
  signIn(person: Person): Promise<DirectResponse<DataOf<typeof login>>>;
  me(person: Person): Promise<CurrentUser>;
  userOf(caller: Person, target: Person): Promise<DirectResponse<User>>;
}

/** @param running returns the identity to call, which starts later */
export function queriesOf(running: () => Direct): IdentityQueries {
  return {
    stateOf: async (kind, secret) => {
      const verified = await running().verify(kind, secret);
      return verified.status === "valid" ? verified.principal.permission : verified.code;
    },
    idsIn: async ({ principal: as }) => {
      const users = (await running().data(listUsers, { as })) as unknown as User[];
      return users.map(({ id }) => id);
    },
    signIn: ({ email, password }) => running().send(login, { body: { email, password } }),
    me: ({ principal: as }) => running().data(getCurrentUser, { as }),
    userOf: ({ principal: as }, { userId: id }) => running().send(getUser, { as, params: { id } }),
  };
}
