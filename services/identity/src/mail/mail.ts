import type { ClientSession, Db } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { Log } from "@nts/shared/log";
import type { Work } from "@nts/shared/work";
import { type Compose, type Delivery, type MailOutcome, startDelivery } from "./delivery.js";
import { type Counted, createMailLimits, MAILS_OF_CALLER } from "./limits-store.js";
import { createOutbox, type MailKind, type MailSubjects } from "./outbox-store.js";
import type { MailFrom, SmtpSettings } from "./settings.js";
import { createMailTransport } from "./transport.js";

/** What an operator has set up. */
export interface MailSettings {
  readonly smtp: SmtpSettings;
  readonly from: MailFrom;
  /** Mails that may be asked for from one client address in an hour. */
  readonly mostOfCaller?: number;
  /** Told of every attempt. */
  readonly onOutcome?: (outcome: MailOutcome) => void;
}

/** Mail as operations use it: none of them waits for the server that takes it. */
export interface Mail {
  readonly isConfigured: boolean;
  /**
   * To be asked before a mail is promised, and outside of the transaction that does: counts it.
   *
   * @throws AppError `mail_not_configured` · `mail_throttled` · `unavailable` when too many wait
   */
  require(...counted: readonly Counted[]): Promise<void>;
  /** The same for a mail without which the request succeeds, too. */
  may(...counted: readonly Counted[]): Promise<boolean>;
  /** Promises a mail, which is sent also when this process dies now. */
  promise<Kind extends MailKind>(kind: Kind, about: MailSubjects[Kind], work: Work, tx?: ClientSession): Promise<void>;
  /** To be called once what was promised is committed; it is sent a second later otherwise. */
  wake(): void;
  /** Sends what was promised, for as long as the process runs; null where nothing is sent. */
  start(write: Compose, log: Log): Delivery | null;
}

/** @param settings null where no mail is sent */
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
        log.error({ reason: (error as Error).message, setting: "SMTP_URL" }, "no mail can be sent: the server does not take it"); // prettier-ignore
      });
      const { onOutcome = () => undefined } = settings;
      delivery = startDelivery({ outbox, compose: write, transport, onOutcome, log });
      return delivery;
    },
  };
}
