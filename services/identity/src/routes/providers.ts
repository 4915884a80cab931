import {
  beginProviderSignIn,
  linkProvider,
  listProviders,
  prepareProviderSignIn,
} from "@nts/shared/contract/providers";
import { siteOf } from "@nts/shared/address-block";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { hashCredential } from "@nts/shared/credential";
import { respond } from "@nts/shared/http/respond";
import { mount, mountAny, type Router } from "@nts/shared/http/mount";
import type { RequireConfirmed } from "../rights/confirmed.js";
import { newToken } from "../secrets/tokens.js";
import type { ConfirmCaller } from "../flows/sign-in/confirm-caller.js";
import type { BrowserCookies } from "../flows/providers/browser-cookie.js";
import type { Providers } from "../flows/providers/providers.js";
import type { LinkingUser, SignInPurpose, SignInStore } from "../storage/provider-sign-ins.js";

export interface ProviderRoutes {
  readonly providers: Providers;
  readonly signIns: Pick<SignInStore, "insert">;
  readonly browserCookies: BrowserCookies;
  readonly confirmCaller: ConfirmCaller;
  readonly requireConfirmed: RequireConfirmed;
}

// Anybody can start sign-ins; the database serves those who are signed in meanwhile.
const STORING = { atATime: 4, mostWaiting: 256, longestWaitMs: 2_000 };

/** The start of a provider sign-in. */
export function mountProviders(router: Router, routes: ProviderRoutes): void {
  const { providers, signIns, browserCookies, confirmCaller, requireConfirmed } = routes;
  const inTurn = createFairQueue(STORING).run;

  mountAny(router, listProviders, () => Promise.resolve(respond.data(providers.list)));

  mountAny(router, beginProviderSignIn, async ({ params, query, clientAddress }) => {
    const started = await begin(params.provider, clientAddress, { returnTo: query.return_to });
    return respond.redirect(started.url, { headers: started.headers });
  });

  mountAny(router, prepareProviderSignIn, async ({ params, body, clientAddress }) => {
    const invite = body.invite_token === undefined ? null : hashCredential(body.invite_token);
    const started = await begin(params.provider, clientAddress, { returnTo: body.return_to, invite });
    return respond.data({ authorization_url: started.url }, { headers: started.headers });
  });

  mount(router, linkProvider, async (call) => {
    const { params, body, principal, clientAddress } = call;
    providers.get(params.provider);
    await confirmCaller(call, body.password);
    await requireConfirmed(principal);
    const { userId, credentialId: sessionId, scope } = principal;
    const link = { userId, sessionId, organizationId: scope.organizationId };
    const started = await begin(params.provider, clientAddress, { returnTo: "/settings", link });
    return respond.data({ authorization_url: started.url }, { headers: started.headers });
  });

  /** @throws AppError `not_found` · `provider_unavailable` · `provider_failed` · `unavailable` */
  async function begin(
    id: string,
    address: string,
    {
      returnTo,
      invite = null,
      link = null,
    }: Pick<SignInPurpose, "returnTo"> & { invite?: string | null; link?: LinkingUser | null },
  ) {
    const provider = providers.get(id);
    const secrets = { state: newToken(), nonce: newToken(), verifier: newToken() };
    const cookie = newToken();
    const url = await provider.authorizationUrl(secrets);
    const { state, nonce, verifier } = secrets;
    const pending = { provider: id, returnTo, invite, link, nonce, verifier };
    await inTurn(() => signIns.insert(pending, { state, cookie, address }, new Date()), siteOf(address));
    return { url, headers: { "set-cookie": [browserCookies.carrying(cookie)] } };
  }
}
