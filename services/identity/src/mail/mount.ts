import type { Router } from "@nts/shared/http/mount";
import { createVerificationMails, type VerificationMailParts } from "../addresses/mail.js";
import { type AddressRoutes, mountAddresses } from "../addresses/routes.js";
import { createInviteMails, type InviteMailParts } from "../invites/mail.js";
import { mountResetsByMail, type PasswordResetParts } from "../password-resets/mount.js";
import { createSignInNotices } from "../sessions/notice.js";
import type { Compose } from "./delivery.js";
import { writeBy } from "./writers.js";

type MailedParts = PasswordResetParts & AddressRoutes & VerificationMailParts & InviteMailParts;

/** Mounts the operations behind mailed links. @returns the mail writers */
export function mountMailed(router: Router, parts: MailedParts): Compose {
  mountAddresses(router, parts);
  return writeBy({
    password_reset: mountResetsByMail(router, parts),
    verification: createVerificationMails(parts),
    invite: createInviteMails(parts),
    new_sign_in: createSignInNotices(parts.publicUrl),
  });
}
