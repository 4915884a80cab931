import type { Router } from "@nts/shared/http/mount";
import type { Writer } from "../mail/writers.js";
import { createResetMails, type ResetMailParts } from "./mail.js";
import { createResetByLink, type ResetByLinkOptions } from "./reset.js";
import { mountPasswordResets, type PasswordResetRoutes } from "./routes.js";

export type PasswordResetParts = ResetMailParts & ResetByLinkOptions & Omit<PasswordResetRoutes, "resetByLink">;

/** Mounts the password reset operations. @returns their mail writers */
export function mountResetsByMail(router: Router, parts: PasswordResetParts): Writer<"password_reset"> {
  mountPasswordResets(router, { ...parts, resetByLink: createResetByLink(parts) });
  return createResetMails(parts);
}
