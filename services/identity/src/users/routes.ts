import { register } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { answer } from "@nts/shared/http/answer";
import { mountAny, type Router } from "@nts/shared/http/mount";
import { newId } from "@nts/shared/ids";
import { isDuplicateKey } from "@nts/shared/mongo/faults";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { DEFAULT_ORGANIZATION_NAME, newOrganization } from "../organizations/organization.js";
import type { OrganizationStore } from "../organizations/store.js";
import type { SessionCookies } from "../sessions/cookie.js";
import { startSession } from "../sessions/start.js";
import type { SessionStore } from "../sessions/store.js";
import type { Passwords } from "./passwords.js";
import type { UserStore } from "./store.js";
import { newOwner, userAnswer } from "./user.js";

export interface UserRoutes {
  readonly users: UserStore;
  readonly organizations: OrganizationStore;
  readonly sessions: SessionStore;
  readonly transaction: RunTransaction;
  readonly passwords: Passwords;
  readonly cookies: SessionCookies;
  readonly registration: "open" | "invite";
}

export function mountUsers(router: Router, routes: UserRoutes): void {
  const { users, organizations, sessions, transaction, passwords, cookies, registration } = routes;

  mountAny(router, register, async ({ body }) => {
    if (registration === "invite") throw new AppError("registration_closed");
    const passwordHash = await passwords.hash(body.password);
    const now = new Date();
    const name = body.organization_name ?? DEFAULT_ORGANIZATION_NAME;
    const organization = newOrganization({ id: newId(), name, now });
    const user = newOwner({ id: newId(), email: body.email, passwordHash, organizationId: organization._id, now });
    const { token, session } = startSession(user, now);
    await refusingUsedEmail(() =>
      transaction([`email:${user.email}`], async (running) => {
        await users.insert(user, running);
        await organizations.insert(organization, running);
        await sessions.insert(session, running);
      }),
    );
    // A new organization has no networks.
    return answer.data(userAnswer(user, []), {
      revision: user.revision,
      headers: { "set-cookie": cookies.carrying(token) },
    });
  });
}

/** The email address is the only thing of a new user that can be in use. */
async function refusingUsedEmail(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw isDuplicateKey(error) ? new AppError("already_exists", { entity: "User", field: "email" }, error) : error;
  }
}
