import { verifyCredential } from "@nts/shared/contract/internal";
import { respond } from "@nts/shared/http/respond";
import { mountAny, type Router } from "@nts/shared/http/mount";
import { useOf } from "../sessions/lifetime.rules.js";
import type { SessionStore } from "../sessions/store.js";
import { verifyKey, verifySession, type FoundSession } from "./rights.rules.js";
import type { CredentialStore } from "./store.js";

export interface CredentialRoutes {
  readonly credentials: CredentialStore;
  readonly sessions: SessionStore;
}

export function mountCredentials(router: Router, { credentials, sessions }: CredentialRoutes): void {
  mountAny(router, verifyCredential, async ({ body: { kind, hash, enforces_limits } }) => {
    const now = new Date();
    if (kind === "key") return respond.data(verifyKey(await credentials.findKey(hash), now, enforces_limits));
    const found = await credentials.findSession(hash);
    const verification = verifySession(found, now);
    if (verification.status === "valid") await noteUse(found, now);
    return respond.data(verification);
  });

  async function noteUse({ session }: FoundSession, now: Date): Promise<void> {
    const use = session && useOf(session, now);
    if (session !== null && use !== null) await sessions.noteUse(session._id, use);
  }
}
