import type { ClientSession } from "mongodb";
import type { OAuthRefusal, TokenRequest } from "@nts/shared/contract/internal";
import { AppError } from "@nts/shared/errors";
import type { Work } from "@nts/shared/work";
import { refusal } from "../../model/authorization.rules.js";
import type { KeyDocument } from "../../model/key.rules.js";
import type { UserDocument } from "../../model/user.js";
import type { ChangeRights } from "../../rights/change-rights.js";
import type { RequireRoom } from "../../rights/key-quotas.js";
import { fits } from "../../secrets/code-verifiers.js";
import type { KeyStore } from "../../storage/api-keys.js";
import type { AssistantClients } from "../../storage/assistant-clients.js";
import { actorFrom } from "../../storage/audit-notes.js";
import { trailOf } from "../../storage/audit-trail.js";
import type { AuthorizationCodes, FoundCode } from "../../storage/authorization-codes.js";
import type { SessionStore } from "../../storage/sessions.js";
import type { UserStore } from "../../storage/users.js";
import type { EndAccess } from "./end-access.js";
import { type IssuedTokens, newTokens } from "./tokens.js";

/** Exchanges a code for the access that a person has given; it takes the place of an earlier one of the same assistant. */
export type ExchangeCode = (work: Work, request: TokenRequest) => Promise<IssuedTokens["given"] | OAuthRefusal>;

export interface ExchangeCodeOptions {
  readonly codes: AuthorizationCodes;
  readonly assistantClients: Pick<AssistantClients, "find" | "noteUse">;
  readonly users: Pick<UserStore, "find">;
  readonly sessions: Pick<SessionStore, "vouch">;
  readonly keys: Pick<KeyStore, "findIn" | "findGrants" | "insert" | "remove">;
  readonly requireRoom: RequireRoom;
  readonly changeRights: ChangeRights;
  readonly endAccess: EndAccess;
}

const NOT_GOOD = "the code is wrong, used or expired, or belongs to another client, redirect_uri or code_verifier";

export function createExchangeCode(options: ExchangeCodeOptions): ExchangeCode {
  const { codes, assistantClients, users, sessions, keys, requireRoom, changeRights, endAccess } = options;

  /** Whoever uses a code again has stolen it, or what it was exchanged for was. */
  async function endWhatCameOf({ organization_id, key_id }: FoundCode, work: Work): Promise<void> {
    const key = await keys.findIn(organization_id, key_id);
    if (key !== null) await endAccess(work, key);
  }

  return async (work, request) => {
    const { code = "", client_id = "" } = request;
    const now = new Date();
    if ((await assistantClients.find(client_id, now)) === null)
      return refusal("invalid_client", "there is no such client; register again");
    const found = await codes.find(code, now);
    if (found === null || !isFor(found, request)) return refusal("invalid_grant", NOT_GOOD);
    if (found.isUsed) await endWhatCameOf(found, work);
    const user = found.isUsed || found.isLate ? null : await users.find(found.organization_id, found.user_id);
    if (user === null) return refusal("invalid_grant", NOT_GOOD);
    const earlier = await keys.findGrants({ organizationId: found.organization_id, userId: user._id }, client_id);
    const tokens = newTokens(found, found.permissions, now);
    const key = keyOf(found, tokens, now);
    const made = await changeRights(
      work,
      earlier.map(({ _id }) => _id),
      (tx) => grant({ key, user, code, found, earlier }, tx),
    ).catch(quotaRefusal);
    if (made === "conflict") return refusal("invalid_grant", NOT_GOOD);
    if (made !== "granted") return made;
    await assistantClients.noteUse(client_id, user._id, now);
    return tokens.given;
  };

  async function grant(
    { key, user, code, found, earlier }: Granting,
    tx: ClientSession,
  ): Promise<"granted" | "conflict"> {
    trailOf(tx).actAs(actorFrom(user));
    const owner = { organizationId: found.organization_id, userId: user._id };
    if (!(await codes.use(code, tx)) || !(await sessions.vouch(found.session_id, key.created_at, tx)))
      return "conflict";
    for (const one of earlier) if ((await keys.remove(owner, one, tx)) === "conflict") return "conflict";
    await requireRoom({ ...owner, ...(found.is_unverified && { isUnverified: true }) }, tx);
    await keys.insert(key, tx);
    return "granted";
  }
}

function isFor(found: FoundCode, { client_id, redirect_uri, code_verifier }: TokenRequest): boolean {
  const isReturned = redirect_uri === undefined || found.redirect_uri === redirect_uri;
  return found.client_id === client_id && isReturned && fits(code_verifier, found.code_challenge);
}

interface Granting {
  readonly key: KeyDocument;
  readonly user: UserDocument;
  readonly code: string;
  readonly found: FoundCode;
  readonly earlier: readonly KeyDocument[];
}

/** @throws what is no refusal of a quota */
function quotaRefusal(error: unknown): OAuthRefusal {
  if (error instanceof AppError && (error.code === "quota_exceeded" || error.code === "owner_unverified"))
    return refusal("invalid_grant", "the user or the organization has reached the number of API keys that it may have");
  throw error;
}

function keyOf(found: FoundCode, { stored }: IssuedTokens, now: Date): KeyDocument {
  return {
    _id: found.key_id,
    ...stored,
    ...{ created_at: now, updated_at: now, revision: 1, last_used: null },
    ...{ organization_id: found.organization_id, user_id: found.user_id },
    ...{ name: found.client_name, tags: [], expires_at: null, is_enabled: true },
    ...{ network_ids: found.network_ids, permissions: found.permissions, scope: "full" as const },
    ...{ allowed_ips: [], rate_limit_per_minute: null, previous: null },
  };
}
