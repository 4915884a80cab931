/** People with more organizations than one. */
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
import { type Direct, type DirectAnswer, type DirectKey, type Person, tokenOf } from "./direct.js";

/** Lets somebody join the organization of an owner, in the session of {@link guest}, who goes on where they are. */
export async function joins(
  identity: Direct,
  guest: Person,
  owner: Person,
  invite: Partial<InviteCreate> = {},
): Promise<Membership> {
  const body = { permissions: "Viewer", ...invite } as const;
  const { token } = await identity.data(createInvite, { as: owner.principal, body });
  return identity.data(acceptInvite, { as: guest.principal, body: { token } });
}

/** Changes the organization of a session. @throws Error when it is refused */
export async function actingIn(identity: Direct, person: Person, organizationId: string): Promise<Person> {
  const body = { organization_id: organizationId };
  const answered = await identity.ask(actInOrganization, { as: person.principal, body });
  return begunWith(identity, person, answered);
}

/** Somebody in the session that an answer has begun. */
export async function begunWith(identity: Direct, person: Person, answered: DirectAnswer<unknown>): Promise<Person> {
  const token = tokenOf(answered.headers);
  const verified = await identity.verify("session", token);
  if (verified.status !== "valid") throw new Error(`no session: ${answered.text}`);
  const { credential_id: credentialId, organization_id: organizationId, permission, networks } = verified.principal;
  const principal = { ...person.principal, credentialId, permission, scope: { organizationId, networks } };
  return { ...person, organizationId, token, principal };
}

/** An Owner of one organization who is in that of another Owner, too: with a session and a key in each. */
export interface Guest {
  readonly host: Person;
  readonly home: Person;
  readonly away: Person;
  readonly keys: { readonly home: DirectKey; readonly away: DirectKey };
}

/** @param permissions of the guest in the organization of the host */
export async function aGuestOf(identity: Direct, permissions: Permission): Promise<Guest> {
  const [host, home] = [await identity.aPerson(), await identity.aPerson()];
  await joins(identity, home, host, { permissions });
  const away = await actingIn(identity, await identity.logIn(home), host.organizationId);
  const keys = { home: await identity.aKey(home), away: await identity.aKey(away, { permissions }) };
  return { host, home, away, keys };
}

export interface Questions {
  /** The level that it has, or the code with which it is refused. */
  stateOf(kind: "key" | "session", secret: string): Promise<string>;
  /** Ids of the users of the organization that somebody acts in. */
  idsIn(person: Person): Promise<string[]>;
  signIn(person: Person): Promise<DirectAnswer<DataOf<typeof login>>>;
  me(person: Person): Promise<CurrentUser>;
  userOf(asking: Person, asked: Person): Promise<DirectAnswer<User>>;
}

/** @param running the identity that is asked, which starts after this is called */
export function questionsTo(running: () => Direct): Questions {
  return {
    stateOf: async (kind, secret) => {
      const verified = await running().verify(kind, secret);
      return verified.status === "valid" ? verified.principal.permission : verified.code;
    },
    idsIn: async ({ principal: as }) => {
      const users = (await running().data(listUsers, { as })) as unknown as User[];
      return users.map(({ id }) => id);
    },
    signIn: ({ email, password }) => running().ask(login, { body: { email, password } }),
    me: ({ principal: as }) => running().data(getCurrentUser, { as }),
    userOf: ({ principal: as }, { userId: id }) => running().ask(getUser, { as, params: { id } }),
  };
}
