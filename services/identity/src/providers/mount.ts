import type { Db } from "mongodb";
import type { Router } from "@nts/shared/http/mount";
import type { NoteAccount } from "../registrations/first-account.js";
import { createRegisterUser } from "../registrations/register-user.js";
import { type AdmissionOptions, createAdmission } from "./admission.js";
import { createBrowserCookies } from "./browser-cookie.js";
import { type CallbackRoutes, mountCallback } from "./callback-routes.js";
import { type LogoutRoutes, mountProviderLogout } from "./logout-routes.js";
import { mountOwnIdentities, type OwnIdentityRoutes } from "./own-routes.js";
import { mountProviders, type ProviderRoutes } from "./routes.js";
import { createSignInStore } from "./sign-ins-store.js";

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
