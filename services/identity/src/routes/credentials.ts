import { verifyCredential, verifyShareSecret } from "@nts/shared/contract/internal";
import { respond } from "@nts/shared/http/respond";
import { mountAny, type Router } from "@nts/shared/http/mount";
import type { NoteUnverified } from "../rights/unverified.js";
import { useOf } from "../model/session-lifetime.rules.js";
import type { SessionStore } from "../storage/sessions.js";
import { verifyCollector, verifyKey, verifySession, verifyShare } from "../rights/effective.rules.js";
import type { FoundSession, CredentialStore } from "../storage/credentials.js";

export interface CredentialRoutes {
  readonly credentials: CredentialStore;
  readonly sessions: SessionStore;
  readonly noteUnverified: NoteUnverified;
}

export function mountCredentials(router: Router, { credentials, sessions, noteUnverified }: CredentialRoutes): void {
  mountAny(router, verifyCredential, async ({ body: { kind, hash } }) => {
    const now = new Date();
    if (kind === "key") {
      const key = await credentials.findKey(hash);
      return respond.data(await noteUnverified(verifyKey(key, now), key.organization));
    }
    if (kind === "collector") {
      const found = await credentials.findCollector(hash);
      return respond.data(await noteUnverified(verifyCollector(found, now), found.organization));
    }
    const found = await credentials.findSession(hash);
    const verification = verifySession(found, now);
    if (verification.status === "valid") await noteUse(found, now);
    return respond.data(await noteUnverified(verification, found.organization));
  });

  mountAny(router, verifyShareSecret, async ({ body: { hash } }) =>
    respond.data(verifyShare(await credentials.findShare(hash), new Date())),
  );

  async function noteUse({ session }: FoundSession, now: Date): Promise<void> {
    const use = session && useOf(session, now);
    if (session !== null && use !== null) await sessions.noteUse(session._id, use);
  }
}
