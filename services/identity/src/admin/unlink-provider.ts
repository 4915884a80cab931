import { BACKGROUND } from "@nts/shared/work";
import type { Unlink } from "../flows/providers/unlink.js";
import type { UserStore } from "../storage/users.js";
import type { UserDocument } from "../model/user.js";
import { AdminProblem } from "./problem.js";

export interface UnlinkProviderOptions {
  readonly users: Pick<UserStore, "findByEmail">;
  readonly unlink: Unlink;
}

/**
 * Unlinks a user's provider accounts. Once it returns, the sessions they started have ended on every gateway.
 *
 * @param email lower case
 * @param provider its id; all if absent
 * @throws AdminProblem if there is no such user, or nothing to unlink
 */
export async function unlinkProvider(
  { users, unlink }: UnlinkProviderOptions,
  email: string,
  provider: string | undefined,
): Promise<UserDocument> {
  const user = await users.findByEmail(email);
  if (user === null) throw new AdminProblem(`No user has the email address ${email}.`);
  const those = (user.identities ?? []).filter((one) => provider === undefined || one.provider === provider);
  if (those.length === 0)
    throw new AdminProblem(`No ${provider === undefined ? "" : `${provider} `}account is linked to ${email}.`);
  let current = user;
  for (const identity of those) {
    await unlink(BACKGROUND, current, identity);
    current = { ...current, identities: (current.identities ?? []).filter(({ key }) => key !== identity.key) };
  }
  return user;
}
