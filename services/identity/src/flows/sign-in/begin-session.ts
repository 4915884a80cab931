import type { ClientSession } from "mongodb";
import type { User } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import type { ParentRequest } from "@nts/shared/http/headers";
import type { Work } from "@nts/shared/work";
import type { Quotas } from "../../model/quotas.js";
import type { SignedInBy } from "../../model/linked-identity.rules.js";
import { networksOf } from "../../model/scopes.rules.js";
import type { TopologyDirectory } from "../../topology/directory.js";
import { untilSaved } from "../../storage/until-saved.js";
import { isDisabled, userResponse, type UserDocument } from "../../model/user.js";
import type { SessionCookies } from "./session-cookie.js";
import type { NotePlace } from "../../mail/sign-in-notice.js";
import { placeOf } from "./sign-in-place.js";
import type { ReplaceSessions } from "./replace-sessions.js";
import { startSession } from "./start-session.js";
import type { SessionStore } from "../../storage/sessions.js";

/** The sign-in request. */
export interface SigningIn {
  readonly clientAddress: string;
  readonly userAgent: string | null;
  readonly sessionHashes: readonly string[];
  readonly cause: ParentRequest;
  readonly work: Work;
}

/** The result of a sign-in. */
export interface StartedSession {
  readonly user: User;
  readonly extras: { readonly revision: number; readonly headers: { readonly "set-cookie": string[] } };
}

/** How the user has signed in, and what this changes. */
export interface SignedIn {
  /** When a second factor code was given; absent if none was. */
  readonly confirmedAt?: Date | undefined;
  /** By a code that was confirmed in another session. */
  readonly byDevice?: boolean;
  /** Instead of a password. */
  readonly provider?: SignedInBy | undefined;
  /** Ids of those whose rights `admit` changes, as for `ChangeRights`. */
  readonly changed?: readonly string[] | undefined;
}

/**
 * Starts a session, replacing those of the browser. Beyond the maximum, the least recently used session ends.
 *
 * @param admit checks in the creating transaction; throws to refuse
 * @throws AppError `account_disabled`
 */
export type BeginSession = (
  call: SigningIn,
  user: UserDocument,
  admit: (tx: ClientSession) => Promise<void>,
  how?: SignedIn,
) => Promise<StartedSession>;

export interface BeginSessionOptions {
  readonly sessions: SessionStore;
  readonly quotas: Pick<Quotas, "sessionsPerUser">;
  readonly replaceSessions: ReplaceSessions;
  readonly topology: TopologyDirectory;
  readonly cookies: SessionCookies;
  readonly notePlace: NotePlace;
}

export function createBeginSession(options: BeginSessionOptions): BeginSession {
  const { sessions, quotas, replaceSessions, topology, cookies, notePlace } = options;
  const { sessionsPerUser } = quotas;
  return async (call, user, admit, { confirmedAt, provider, changed, byDevice = false } = {}) => {
    if (isDisabled(user)) throw new AppError("account_disabled");
    const { sessionHashes, cause, work } = call;
    const scope = { organizationId: user.organization_id, networks: networksOf(user) };
    const data = userResponse(user, await topology.networksIn(scope, cause));
    const now = new Date();
    const { token, session } = startSession(user, now, placeOf(call));
    const started = {
      ...{ ...session, ...(provider && { provider }) },
      ...{ ...(confirmedAt && { confirmed_at: confirmedAt }), ...(byDevice && { by_device: true as const }) },
    };
    await untilSaved(work, async () => {
      const replaced = await sessions.idsOf(sessionHashes);
      const beyond = await sessions.idsBeyond(user._id, sessionsPerUser - 1, sessionHashes);
      return replaceSessions(work, { ended: [...replaced, ...beyond], changed }, [`user:${user._id}`], async (tx) => {
        await admit(tx);
        await sessions.insert(started, user, tx);
        await notePlace(user, started, work, tx);
        return (await sessions.count(user._id, tx)) <= sessionsPerUser ? "begun" : "conflict";
      });
    });
    const headers = { "set-cookie": cookies.replacing(sessionHashes.length, token) };
    return { user: data, extras: { revision: user.revision, headers } };
  };
}
