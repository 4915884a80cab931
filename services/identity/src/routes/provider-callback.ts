import { finishProviderSignIn } from "@nts/shared/contract/providers";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { type Call, mountAny, type Router } from "@nts/shared/http/mount";
import type { Affiliation, AffiliationsOf } from "../storage/affiliations.js";
import { requiresSecondFactor } from "../model/organization.js";
import type { Challenges } from "../storage/challenges.js";
import { isGuarded } from "../model/user.js";
import type { BeginSession } from "../flows/sign-in/begin-session.js";
import type { UserStore } from "../storage/users.js";
import type { Admission } from "../flows/providers/admission.js";
import type { BrowserCookies } from "../flows/providers/browser-cookie.js";
import { type IdentityStore, nameAt } from "../storage/linked-identities.js";
import type { Providers } from "../flows/providers/providers.js";
import type { SignInStore } from "../storage/provider-sign-ins.js";

export interface CallbackRoutes {
  readonly providers: Providers;
  readonly signIns: Pick<SignInStore, "take">;
  readonly admission: Admission;
  readonly identities: Pick<IdentityStore, "noteUse">;
  readonly users: Pick<UserStore, "beginSession">;
  readonly affiliationsOf: AffiliationsOf;
  readonly challenges: Pick<Challenges, "issue">;
  readonly beginSession: BeginSession;
  readonly browserCookies: BrowserCookies;
}

/** Pages of the console. */
const SIGN_IN_PAGE = "/sign-in";
const SETTINGS_PAGE = "/settings";

type Arriving = Call<typeof finishProviderSignIn>;

interface End {
  readonly location: string;
  readonly cookies?: readonly string[];
}

/** The end of a provider sign-in. As a person sees the response, errors redirect to a page. */
export function mountCallback(router: Router, routes: CallbackRoutes): void {
  const { providers, signIns, admission, identities, users, affiliationsOf, challenges } = routes;
  const { beginSession, browserCookies } = routes;

  mountAny(router, finishProviderSignIn, async (call) => {
    let page = SIGN_IN_PAGE;
    const target = await finish(call, (other) => {
      page = other;
    }).catch((error: unknown): End => {
      if (!(error instanceof AppError)) throw error;
      call.log.info(
        { provider: call.params.provider, code: error.code, err: error.cause },
        "a sign-in by a provider has failed",
      );
      return { location: `${page}?problem=${error.code}` };
    });
    const cookies = [...(target.cookies ?? []), browserCookies.cleared];
    return respond.redirect(target.location, { headers: { "set-cookie": cookies } });
  });

  /** @param redirect receives the page for errors */
  async function finish(call: Arriving, redirect: (page: string) => void): Promise<End> {
    const { params, query, browserHashes, clientAddress, work, cause } = call;
    const provider = providers.get(params.provider);
    const { settings } = provider;
    const { state = "" } = query;
    const pending = await signIns.take(state, settings.id, browserHashes, new Date());
    if (pending === null) throw new AppError("sign_in_expired");
    const { link, invite, returnTo } = pending;
    if (link !== null) redirect(SETTINGS_PAGE);
    const person = await provider.finish(query, { ...pending, state });
    const callback = { settings, person, invite, clientAddress, work, cause };
    if (link === null) return signIn(call, callback, returnTo);
    await admission.link(callback, link);
    return { location: returnTo };
  }

  async function signIn(call: Arriving, callback: Parameters<Admission["userOf"]>[0], returnTo: string): Promise<End> {
    const { settings, person } = callback;
    const affiliations = await affiliationsOf(await admission.userOf(callback));
    const own = ({ organization: { _id } }: Affiliation) => [undefined, _id].includes(settings.organization_id);
    const entered = affiliations.find(own);
    if (entered === undefined) throw new AppError("account_unknown");
    const { user, organization } = entered;
    const session = person.sessionId === null ? null : nameAt(settings, person.sessionId);
    const by = { id: settings.id, session };
    if (isGuarded(user) || requiresSecondFactor(organization)) {
      const challenge = await challenges.issue(user, call.clientAddress, new Date(), by);
      const fragment = { challenge, set_up: String(!isGuarded(user)), next: returnTo };
      // In the fragment, so that no server or log sees it.
      return { location: `${SIGN_IN_PAGE}#${new URLSearchParams(fragment).toString()}` };
    }
    const used = { key: nameAt(settings, person.subject), email: person.email };
    const login = await beginSession(
      call,
      user,
      async (tx) => {
        if (!(await users.beginSession(user, tx))) throw new AppError("sign_in_expired");
        await identities.noteUse(user, used, new Date(), tx);
      },
      { provider: by },
    );
    return { location: returnTo, cookies: login.extras.headers["set-cookie"] };
  }
}
