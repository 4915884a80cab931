import { createApiKey } from "@nts/shared/api-key";
import { hashCredential } from "@nts/shared/credential";
import { scopeOf } from "../../model/authorization.rules.js";
import type { Grant, KeyDocument } from "../../model/key.rules.js";
import { newRefreshToken } from "../../secrets/refresh-tokens.js";

/** Seconds that an access token is good for. */
export const TOKEN_SECONDS = 3_600;
/** Days that an assistant has to renew its access, from each time that it does. */
export const GRANT_DAYS = 30;

const DAY_MS = 86_400_000;

/** The tokens of an assistant, and what is stored of them. */
export interface IssuedTokens {
  readonly stored: Required<Pick<KeyDocument, "hash" | "public_id" | "issued_at" | "grant">>;
  /** As given to the assistant. */
  readonly given: {
    readonly status: "issued";
    readonly access_token: string;
    readonly expires_in: number;
    readonly refresh_token: string;
    readonly scope: string;
  };
}

/** @param refreshToken that of before, whose family goes on; absent for the first ones */
export function newTokens(
  client: Pick<Grant, "client_id" | "client_name">,
  permissions: KeyDocument["permissions"],
  now: Date,
  refreshToken?: string,
): IssuedTokens {
  const { secret, publicId } = createApiKey();
  const { token, family, refresh } = newRefreshToken(refreshToken);
  const grant: Grant = {
    ...{ client_id: client.client_id, client_name: client.client_name, family, refresh },
    token_ends_at: new Date(now.getTime() + TOKEN_SECONDS * 1_000),
    ends_at: new Date(now.getTime() + GRANT_DAYS * DAY_MS),
  };
  return {
    stored: { hash: hashCredential(secret), public_id: publicId, issued_at: now, grant },
    given: {
      ...{ status: "issued", access_token: secret, expires_in: TOKEN_SECONDS },
      ...{ refresh_token: token, scope: scopeOf(permissions) },
    },
  };
}
