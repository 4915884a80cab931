import { Counter, type Registry } from "prom-client";
import { ConfigError } from "@nts/shared/config";
import type { MailSettings } from "./mail.js";
import type { MailFrom, SmtpSettings } from "./settings.js";

interface Configured {
  readonly SMTP_URL?: SmtpSettings | undefined;
  readonly MAILS_PER_ADDRESS: number;
  readonly MAIL_FROM?: MailFrom | undefined;
}

/**
 * The configured mail transport with metrics; null if mail is not configured. @throws ConfigError for an incomplete
 * configuration
 */
export function mailSettings(configured: Configured, registry: Registry): MailSettings | null {
  const { SMTP_URL: smtp, MAIL_FROM: from, MAILS_PER_ADDRESS: mostOfCaller } = configured;
  const mails = new Counter({
    name: "nts_mails_total",
    help: "Attempts of this process to send a mail, by outcome.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  if (smtp === undefined && from === undefined) return null;
  if (smtp === undefined || from === undefined) {
    const [missing, given] = smtp === undefined ? ["SMTP_URL", "MAIL_FROM"] : ["MAIL_FROM", "SMTP_URL"];
    throw new ConfigError(`These settings are missing or wrong:\n  ${missing}: is needed with ${given}`);
  }
  return { smtp, from, mostOfCaller, onOutcome: (outcome) => mails.inc({ outcome }) };
}
