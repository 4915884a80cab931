import type { Router } from "@nts/shared/http/mount";
import { createVerificationMails, type VerificationMailParts } from "../addresses/mail.js";
import { type AddressRoutes, mountAddresses } from "../addresses/routes.js";
import { createInviteMails, type InviteMailParts } from "../invites/mail.js";
import { createResetMails, type ResetMailParts } from "../password-resets/mail.js";
import { createResetByLink, type ResetByLinkOptions } from "../password-resets/reset.js";
import { mountPasswordResets, type PasswordResetRoutes } from "../password-resets/routes.js";
import { createSignInNotices } from "../sessions/notice.js";
import type { Compose } from "./delivery.js";
import { writeBy } from "./writers.js";

type MailedParts = ResetMailParts &
  ResetByLinkOptions &
  Omit<PasswordResetRoutes, "resetByLink"> &
  AddressRoutes &
  VerificationMailParts &
  InviteMailParts;

/** Mounts the operations behind mailed links. @returns the mail writers */
export function mountMailed(router: Router, parts: MailedParts): Compose {
  mountAddresses(router, parts);
  mountPasswordResets(router, { ...parts, resetByLink: createResetByLink(parts) });
  return writeBy({
    password_reset: createResetMails(parts),
    verification: createVerificationMails(parts),
    invite: createInviteMails(parts),
    new_sign_in: createSignInNotices(parts.publicUrl),
  });
}
