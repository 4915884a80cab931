/** Two replicas of identity that send mail to a real SMTP server. */
import { randomInt } from "node:crypto";
import type { MailSettings } from "@nts/identity/mail/mail";
import { MailFrom, SmtpUrl } from "@nts/identity/mail/settings";
import { requestPasswordReset, resetPassword } from "@nts/shared/contract/mail";
import { login } from "@nts/shared/contract/users";
import { type Audited, startAudited } from "./audit.js";
import type { Direct } from "./direct.js";
import { type Mailbox, type ReceivedMail, startMailbox, SUBJECTS } from "./mailbox.js";

export const PUBLIC_URL = "https://nts.example";
export const NEXT_PASSWORD = "an entirely different phrase";

/** Identity's settings for a server. */
export function mailSettingsOf(url: string): MailSettings {
  return { smtp: SmtpUrl.parse(url), from: MailFrom.parse("Network topology <noreply@nts.example>") };
}

/** Headers of a client with a random address, since mails are counted by address. */
export function fromRandomAddress(): Record<string, string> {
  return { "x-client-address": `198.18.${randomInt(256)}.${randomInt(256)}` };
}

export interface MailedIdentity {
  readonly mailbox: Mailbox;
  readonly identity: Audited;
  /** Requests a reset link. */
  requestReset(email: string, replica?: number, headers?: Record<string, string>): ReturnType<Direct["send"]>;
  /** Waits for a reset link. @param count of requested links */
  resetMail(email: string, count?: number): Promise<ReceivedMail>;
  reset(token: string, password?: string, replica?: number): ReturnType<Direct["send"]>;
  /** The status of a sign-in. */
  signIn(email: string, password: string): Promise<number>;
  stop(): Promise<void>;
}

/** @param own differing mail settings */
export async function startMailedIdentity(own: Partial<MailSettings> = {}): Promise<MailedIdentity> {
  const mailbox = await startMailbox();
  const mailing = { mail: { ...mailSettingsOf(mailbox.url), ...own }, publicUrl: PUBLIC_URL };
  const identity = await startAudited(mailing, mailing);
  return {
    ...{ mailbox, identity },
    requestReset: (email, replica = 0, headers = fromRandomAddress()) =>
      identity.send(requestPasswordReset, { body: { email }, replica, headers }),
    resetMail: (email, count = 1) => mailbox.next(email, { subject: SUBJECTS.reset, count }),
    reset: (token, new_password = NEXT_PASSWORD, replica = 0) =>
      identity.send(resetPassword, { body: { token, new_password }, replica }),
    signIn: async (email, password) => (await identity.send(login, { body: { email, password } })).status,
    stop: async () => {
      await identity.stop();
      await mailbox.stop();
    },
  };
}
