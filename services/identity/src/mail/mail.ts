import type { ClientSession, Db } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Log } from "@nts/shared/log";
import type { Work } from "@nts/shared/work";
import { type Compose, type Delivery, type MailOutcome, startDelivery } from "./delivery.js";
import { type Counted, createMailLimits, MAILS_OF_CALLER } from "../storage/mail-limits.js";
import { createOutbox, type MailKind, type MailSubjects } from "../storage/outbox.js";
import type { MailFrom, SmtpSettings } from "./settings.js";
import { createMailTransport } from "./transport.js";

/** Mail settings. */
export interface MailSettings {
  readonly smtp: SmtpSettings;
  readonly from: MailFrom;
  /** Maximum mails per client address and hour. */
  readonly mostOfCaller?: number;
  /** Called for each attempt. */
  readonly onOutcome?: (outcome: MailOutcome) => void;
}

/** Mail as used by operations, none of which waits for the mail server. */
export interface Mail {
  readonly isConfigured: boolean;
  /**
   * Counts a mail; to be called before queuing it, outside the transaction.
   *
   * @throws AppError `mail_not_configured` · `mail_throttled` · `unavailable` if too many are queued
   */
  require(...counted: readonly Counted[]): Promise<void>;
  /** Like `require`, for a mail without which the request succeeds, too. */
  may(...counted: readonly Counted[]): Promise<boolean>;
  /** Queues a mail, which is sent even if this process dies now. */
  promise<Kind extends MailKind>(kind: Kind, about: MailSubjects[Kind], work: Work, tx?: ClientSession): Promise<void>;
  /** To be called after the commit; otherwise it is sent a second later. */
  wake(): void;
  /** Sends queued mails until stopped; null if mail is not configured. */
  start(write: Compose, log: Log): Delivery | null;
}

/** @param settings null if mail is not configured */
export function createMail(db: Db, settings: MailSettings | null): Mail {
  const outbox = createOutbox(db);
  const limits = createMailLimits(db, settings?.mostOfCaller ?? MAILS_OF_CALLER);
  let delivery: Delivery | null = null;

  async function require(...counted: readonly Counted[]): Promise<void> {
    if (settings === null) throw new AppError("mail_not_configured");
    await limits.take(...counted);
    if (!(await outbox.hasRoom())) throw new AppError("unavailable");
  }

  return {
    isConfigured: settings !== null,
    require,
    may: async (...counted) => {
      try {
        await require(...counted);
        return true;
      } catch (error) {
        if (error instanceof AppError) return false;
        throw error;
      }
    },
    promise: async (kind, about, { origin }, tx) => {
      const from = { address: origin?.address ?? "", requestId: origin?.requestId ?? null };
      await outbox.add(kind, about, from, tx);
    },
    wake: () => delivery?.wake(),
    start: (write, log) => {
      if (settings === null) return null;
      const transport = createMailTransport(settings.smtp, settings.from);
      transport.check().catch((error: unknown) => {
        log.error(
          { reason: (error as Error).message, setting: "SMTP_URL" },
          "no mail can be sent: the server rejects it",
        );
      });
      const { onOutcome = () => undefined } = settings;
      delivery = startDelivery({ outbox, compose: write, transport, onOutcome, log });
      return delivery;
    },
  };
}
