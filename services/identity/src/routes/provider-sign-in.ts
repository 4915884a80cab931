import type { Db } from "mongodb";
import type { Router } from "@nts/shared/http/mount";
import type { NoteAccount } from "../storage/first-account.js";
import { createRegisterUser } from "../flows/registration/register-user.js";
import { type AdmissionOptions, createAdmission } from "../flows/providers/admission.js";
import { createBrowserCookies } from "../flows/providers/browser-cookie.js";
import { type CallbackRoutes, mountCallback } from "./provider-callback.js";
import { type LogoutRoutes, mountProviderLogout } from "./provider-logout.js";
import { mountOwnIdentities, type OwnIdentityRoutes } from "./own-identities.js";
import { mountProviders, type ProviderRoutes } from "./providers.js";
import { createSignInStore } from "../storage/provider-sign-ins.js";

type ProviderParts = Omit<AdmissionOptions, "registerUser"> &
  Omit<ProviderRoutes, "browserCookies" | "signIns"> &
  Omit<CallbackRoutes, "browserCookies" | "signIns" | "admission"> &
  OwnIdentityRoutes &
  LogoutRoutes & { readonly db: Db; readonly publicUrl: string; readonly noteAccount: NoteAccount };

/** Mounts the operations for sign-in and logout by a provider. */
export function mountSignInByProvider(router: Router, parts: ProviderParts): void {
  const { db, publicUrl } = parts;
  const registerUser = createRegisterUser(parts);
  const ends = {
    browserCookies: createBrowserCookies(publicUrl),
    signIns: createSignInStore(db),
    admission: createAdmission({ ...parts, registerUser }),
  };
  mountProviders(router, { ...parts, ...ends });
  mountCallback(router, { ...parts, ...ends });
  mountProviderLogout(router, parts);
  mountOwnIdentities(router, parts);
}
