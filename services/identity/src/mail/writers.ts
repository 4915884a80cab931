import type { Compose, Composed } from "./delivery.js";
import type { MailKind, OutgoingMail } from "../storage/outbox.js";

/** Writes the mails of one kind; null if a mail is no longer relevant. */
export type Writer<Kind extends MailKind> = (mail: OutgoingMail & { readonly kind: Kind }) => Promise<Composed | null>;

export type Writers = { readonly [Kind in MailKind]: Writer<Kind> };

/** Writes mails of every kind. */
export function writeBy(writers: Writers): Compose {
  return (mail) => (writers[mail.kind] as Writer<MailKind>)(mail);
}
