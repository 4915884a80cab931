import { createTransport } from "nodemailer";
import type { MailFrom, SmtpSettings } from "./settings.js";
import { type Letter, htmlOf, textOf } from "./letter.rules.js";

/** Milliseconds for connecting, the greeting, and each command. */
const STEP_MS = 5_000;
/** Milliseconds for a whole mail. */
const HAND_OVER_MS = 15_000;

/**
 * What rejected a mail: `recipient`: its recipient, permanently; `recipient_for_now`: its recipient, temporarily, such as
 * a full mailbox; `server`: none is accepted currently.
 */
type RejectedBy = "recipient" | "recipient_for_now" | "server";

/** Why a mail was not accepted. It contains neither addresses nor content. */
export class MailFault extends Error {
  override readonly name = "MailFault";

  constructor(
    readonly of: RejectedBy,
    reason: string,
  ) {
    super(reason);
  }
}

/** A mail for one address. */
export interface Mail {
  /** The same for each attempt, so that mailboxes recognize repetitions. */
  readonly id: string;
  readonly to: string;
  readonly letter: Letter;
}

export interface MailTransport {
  /** Resolves when the server has accepted it. @throws MailFault */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  /** Signs in to the server. @throws MailFault */
  check(): Promise<void>;
}

export function createMailTransport({ host, port, tls, auth }: SmtpSettings, from: MailFrom): MailTransport {
  const transporter = createTransport({
    ...{ host, port, secure: tls === "implicit", requireTLS: tls === "required", ignoreTLS: tls === "none" },
    ...(auth && { auth }),
    ...{ connectionTimeout: STEP_MS, greetingTimeout: STEP_MS, socketTimeout: STEP_MS, dnsTimeout: STEP_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  return {
    send: async ({ id, to, letter }, stopping) => {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(HAND_OVER_MS)]);
      try {
        await transporter.sendMail({
          ...{ from, to: { name: "", address: to }, subject: letter.subject, signal },
          ...{ text: textOf(letter), html: htmlOf(letter), messageId: `<${id}@${domain}>` },
          headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
        });
      } catch (error) {
        throw faultOf(error);
      }
    },
    check: async () => {
      try {
        await transporter.verify();
      } catch (error) {
        throw faultOf(error);
      }
    },
  };
}

/** The status of a server that is about to close the connection, in response to any command (RFC 5321 § 4.2.1). */
const NOT_AVAILABLE = 421;

interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

function faultOf(error: unknown): MailFault {
  const { code = "", command = "", responseCode } = error as SmtpError;
  // The server's own message may contain addresses.
  const reason = [code, command, responseCode === undefined ? "" : `response ${responseCode}`]
    .filter(Boolean)
    .join(", ");
  return new MailFault(rejectedBy({ code, command, responseCode: responseCode ?? 0 }), reason || "no reason given");
}

function rejectedBy({ code, command, responseCode }: Required<SmtpError>): RejectedBy {
  if (responseCode >= 500) return code === "EENVELOPE" || code === "EMESSAGE" ? "recipient" : "server";
  // Anybody can cause these, by entering such an address, so they must not delay the mails of others.
  const isOfRecipient = command === "RCPT TO" && responseCode >= 400 && responseCode !== NOT_AVAILABLE;
  return isOfRecipient ? "recipient_for_now" : "server";
}
