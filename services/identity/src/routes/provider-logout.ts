import { providerLogout } from "@nts/shared/contract/providers";
import type { UploadedBytes } from "@nts/shared/contract/upload";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mountAny, type Router } from "@nts/shared/http/mount";
import { isDuplicateKey } from "@nts/shared/mongo/faults";
import type { ChangeRights } from "../rights/change-rights.js";
import type { Challenges } from "../storage/challenges.js";
import type { SessionStore } from "../storage/sessions.js";
import { type IdentityStore, nameAt } from "../storage/linked-identities.js";
import type { Providers } from "../flows/providers/providers.js";

export interface LogoutRoutes {
  readonly providers: Providers;
  readonly identities: Pick<IdentityStore, "findByKey" | "useToken">;
  readonly sessions: Pick<SessionStore, "idsStartedBy" | "removeMany">;
  readonly challenges: Pick<Challenges, "removeAllOf">;
  readonly changeRights: ChangeRights;
}

/** Milliseconds that used tokens are remembered; longer than any is valid. */
const REMEMBERED_MS = 900_000;

/** Back-channel logout by a provider. */
export function mountProviderLogout(router: Router, routes: LogoutRoutes): void {
  const { providers, identities, sessions, challenges, changeRights } = routes;

  mountAny(router, providerLogout, async ({ params, body, work }) => {
    const provider = providers.get(params.provider);
    const { settings } = provider;
    const token = new URLSearchParams(await textOf(body)).get("logout_token");
    if (token === null) throw new AppError("logout_token_invalid");
    const { subject, sessionId, tokenId } = await provider.readLogout(token);
    const user = subject === null ? null : await identities.findByKey(nameAt(settings, subject));
    const session = sessionId === null ? undefined : nameAt(settings, sessionId);
    const isUnknownUser = subject !== null && user === null;
    const whose = { ...(user && { userId: user._id }), ...(session !== undefined && { session }) };
    const started = isUnknownUser ? [] : await sessions.idsStartedBy(settings.id, whose);
    const name = nameAt(settings, `logout ${tokenId}`);
    await refusingUsed(() =>
      changeRights(work, [...started, ...(user === null ? [] : [user._id])], async (tx) => {
        await identities.useToken(name, new Date(Date.now() + REMEMBERED_MS), tx);
        if (user !== null) await challenges.removeAllOf(user._id, settings.id, tx);
        const ended = isUnknownUser ? [] : await sessions.idsStartedBy(settings.id, whose, tx);
        if (ended.length > 0) await sessions.removeMany(ended, tx);
        return "ended";
      }),
    );
    return respond.data(null);
  });
}

async function textOf(body: UploadedBytes): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

async function refusingUsed<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicateKey(error) ? new AppError("logout_token_invalid", {}, error) : error;
  }
}
