import { createTransport } from "nodemailer";
import type { MailFrom, SmtpSettings } from "./settings.js";
import type { Letter } from "./letter.rules.js";
import { htmlOf, textOf } from "./letter.rules.js";

/** Milliseconds in which a server has to accept the connection, greet, and answer each command. */
const STEP_MS = 5_000;
/** Milliseconds in which a whole mail is handed over. */
const HAND_OVER_MS = 15_000;

/**
 * Why a mail was not taken. `recipient`: this one never will be; `server`: none is taken at the moment. It says neither addresses
 * nor what the mail holds.
 */
export class MailFault extends Error {
  override readonly name = "MailFault";

  constructor(
    readonly of: "recipient" | "server",
    reason: string,
  ) {
    super(reason);
  }
}

/** A mail for one address. */
export interface Mail {
  /** The same for each attempt, so that mailboxes recognize a repeated one. */
  readonly id: string;
  readonly to: string;
  readonly letter: Letter;
}

export interface MailTransport {
  /** Resolves when the server has taken it. @throws MailFault */
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

function faultOf(error: unknown): MailFault {
  const { code = "", command = "", responseCode } = error as { code?: string; command?: string; responseCode?: number };
  const isRefused = responseCode !== undefined && responseCode >= 500;
  const isRecipient = isRefused && (code === "EENVELOPE" || code === "EMESSAGE");
  // The server's own words may repeat addresses.
  const said = [code, command, responseCode === undefined ? "" : `response ${responseCode}`].filter(Boolean).join(", ");
  return new MailFault(isRecipient ? "recipient" : "server", said || "no reason given");
}
