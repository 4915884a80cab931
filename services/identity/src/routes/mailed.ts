import type { Router } from "@nts/shared/http/mount";
import { createVerificationMails, type VerificationMailParts } from "../mail/verification-mail.js";
import { type AddressRoutes, mountAddresses } from "./addresses.js";
import { createInviteMails, type InviteMailParts } from "../mail/invite-mail.js";
import { createNewsMails, type NewsMailParts } from "../mail/news-mail.js";
import { createResetMails, type ResetMailParts } from "../mail/reset-mail.js";
import { createResetByLink, type ResetByLinkOptions } from "../flows/recovery/reset-by-link.js";
import { mountPasswordResets, type PasswordResetRoutes } from "./password-resets.js";
import { createSignInNotices } from "../mail/sign-in-notice.js";
import type { Compose } from "../mail/delivery.js";
import { writeBy } from "../mail/writers.js";

type MailedParts = ResetMailParts &
  ResetByLinkOptions &
  Omit<PasswordResetRoutes, "resetByLink"> &
  AddressRoutes &
  VerificationMailParts &
  InviteMailParts &
  NewsMailParts;

/** Mounts the operations behind mailed links. @returns the mail writers */
export function mountMailed(router: Router, parts: MailedParts): Compose {
  mountAddresses(router, parts);
  mountPasswordResets(router, { ...parts, resetByLink: createResetByLink(parts) });
  return writeBy({
    password_reset: createResetMails(parts),
    verification: createVerificationMails(parts),
    invite: createInviteMails(parts),
    news: createNewsMails(parts),
    new_sign_in: createSignInNotices(parts.publicUrl),
  });
}
