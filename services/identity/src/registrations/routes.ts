import type { ClientSession } from "mongodb";
import { register, type Registration } from "@nts/shared/contract/users";
import { hashCredential } from "@nts/shared/credential";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mountAny, type Router } from "@nts/shared/http/mount";
import { newId } from "@nts/shared/ids";
import { isDuplicateKey } from "@nts/shared/mongo/faults";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { isUsable, type InviteDocument } from "../invites/invite.js";
import type { InviteStore } from "../invites/store.js";
import { DEFAULT_ORGANIZATION_NAME, newOrganization } from "../organizations/organization.js";
import type { OrganizationStore } from "../organizations/store.js";
import { networksOf } from "../scopes.js";
import type { SessionCookies } from "../sessions/cookie.js";
import { startSession } from "../sessions/start.js";
import type { SessionStore } from "../sessions/store.js";
import type { TopologyDirectory } from "../topology.js";
import type { Passwords } from "../users/passwords.js";
import type { UserStore } from "../users/store.js";
import { newUser, userAnswer, type UserDocument } from "../users/user.js";

export interface RegistrationRoutes {
  readonly users: UserStore;
  readonly organizations: OrganizationStore;
  readonly invites: InviteStore;
  readonly sessions: SessionStore;
  readonly transaction: RunTransaction;
  readonly passwords: Passwords;
  readonly topology: TopologyDirectory;
  readonly cookies: SessionCookies;
  readonly registration: "open" | "invite";
}

export function mountRegistrations(router: Router, routes: RegistrationRoutes): void {
  const { users, organizations, invites, sessions, transaction, passwords, topology, cookies, registration } = routes;

  mountAny(router, register, async ({ body, cause }) => {
    const now = new Date();
    const { email, invite_token } = body;
    if (invite_token === undefined && registration === "invite") throw new AppError("registration_closed");
    const hash = invite_token === undefined ? null : hashCredential(invite_token);
    const invite = hash === null ? null : await usable(await invites.findByHash(hash), now);
    const networkIds = invite === null ? [] : await topology.networksIn(scopeOf(invite), cause);
    const account = { id: newId(), email, passwordHash: await passwords.hash(body.password), now };
    const made = await refusingUsedEmail(() =>
      transaction([`email:${email}`, ...(hash === null ? [] : [`invite:${hash}`])], async (running) => {
        const user =
          hash === null
            ? await foundOrganization(account, body, running)
            : await joinOrganization(account, hash, running);
        const { token, session } = startSession(user, now);
        await users.insert(user, running);
        await sessions.insert(session, running);
        return { user, token };
      }),
    );
    return answer.data(userAnswer(made.user, networkIds), {
      revision: made.user.revision,
      headers: { "set-cookie": cookies.carrying(made.token) },
    });
  });

  type Account = Pick<Parameters<typeof newUser>[0], "id" | "email" | "passwordHash" | "now">;

  /** Makes an organization, and its first owner. */
  async function foundOrganization(
    account: Account,
    body: Registration,
    running: ClientSession,
  ): Promise<UserDocument> {
    const name = body.organization_name ?? DEFAULT_ORGANIZATION_NAME;
    const organization = newOrganization({ id: newId(), name, now: account.now });
    await organizations.insert(organization, running);
    return newUser({ ...account, organizationId: organization._id, permissions: "Owner", networkIds: [] });
  }

  /** Uses an invite up: of two who try at once, the second finds it gone. */
  async function joinOrganization(account: Account, hash: string, running: ClientSession): Promise<UserDocument> {
    const invite = await usable(await invites.take(hash, running), account.now, running);
    const { organization_id: organizationId, permissions, network_ids: networkIds } = invite;
    return newUser({ ...account, organizationId, permissions, networkIds });
  }

  async function usable(invite: InviteDocument | null, now: Date, running?: ClientSession): Promise<InviteDocument> {
    const inviter = invite && (await users.find(invite.organization_id, invite.invited_by, running));
    if (invite === null || !isUsable(invite, inviter, now))
      throw new AppError("invalid_reference", { path: "invite_token" });
    return invite;
  }
}

function scopeOf(invite: InviteDocument) {
  return { organizationId: invite.organization_id, networks: networksOf(invite) };
}

/** The email address is the only thing of a new user that can be in use. */
async function refusingUsedEmail<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicateKey(error) ? new AppError("already_exists", { entity: "User", field: "email" }, error) : error;
  }
}
