import type { OAuthRefusal, TokenRequest } from "@nts/shared/contract/internal";
import type { Work } from "@nts/shared/work";
import { refusal } from "../../model/authorization.rules.js";
import type { KeyDocument } from "../../model/key.rules.js";
import { isDisabled } from "../../model/user.js";
import type { ChangeRights } from "../../rights/change-rights.js";
import { readRefreshToken } from "../../secrets/refresh-tokens.js";
import type { KeyStore } from "../../storage/api-keys.js";
import type { AssistantClients } from "../../storage/assistant-clients.js";
import { untilSaved } from "../../storage/until-saved.js";
import type { UserStore } from "../../storage/users.js";
import type { EndAccess } from "./end-access.js";
import { type IssuedTokens, newTokens } from "./tokens.js";

/** Exchanges a refresh token for new tokens; the ones before are dead with the response. */
export type RenewAccess = (work: Work, request: TokenRequest) => Promise<IssuedTokens["given"] | OAuthRefusal>;

export interface RenewAccessOptions {
  readonly keys: Pick<KeyStore, "findByFamily" | "renew">;
  readonly users: Pick<UserStore, "find">;
  readonly assistantClients: Pick<AssistantClients, "noteUse">;
  readonly changeRights: ChangeRights;
  readonly endAccess: EndAccess;
}

const NOT_GOOD = refusal("invalid_grant", "the refresh token is wrong, used or expired, or its access has ended");

export function createRenewAccess(options: RenewAccessOptions): RenewAccess {
  const { keys, users, assistantClients, changeRights, endAccess } = options;

  async function mayRenew({ user_id, organization_id, is_enabled, expires_at, grant }: KeyDocument, now: Date) {
    if (!is_enabled || grant === undefined || grant.ends_at <= now) return false;
    if (expires_at !== null && expires_at <= now) return false;
    const user = await users.find(organization_id, user_id);
    return user !== null && !isDisabled(user);
  }

  return async (work, { refresh_token = "", client_id }) => {
    const presented = readRefreshToken(refresh_token);
    if (presented === null) return NOT_GOOD;
    return untilSaved(work, async () => {
      const now = new Date();
      const key = await keys.findByFamily(presented.family);
      if (key?.grant === undefined || key.grant.client_id !== client_id) return NOT_GOOD;
      if (key.grant.refresh !== presented.refresh) {
        // It was used before, by the assistant or by a thief, who cannot be told apart.
        await endAccess(work, key);
        return NOT_GOOD;
      }
      if (!(await mayRenew(key, now))) return NOT_GOOD;
      const tokens = newTokens(key.grant, key.permissions, now, refresh_token);
      const renewed = await changeRights(work, [key._id], (tx) => keys.renew(key, tokens.stored, tx));
      if (renewed === "conflict") return "conflict";
      await assistantClients.noteUse(client_id, key.user_id, now);
      return tokens.given;
    });
  };
}
