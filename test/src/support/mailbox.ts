/** A real SMTP server on this machine that stores received mails. */
import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { until } from "./until.js";

/** A received mail. */
export interface ReceivedMail extends Pick<Email, "headers"> {
  /** From the envelope. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  /** The first link in it; empty without one. */
  readonly link: string;
  /** The part of the link after `#token=` or `#invite=`. */
  readonly token: string;
}

/** By default of any subject, and the first one. */
export interface MailQuery {
  readonly subject?: string;
  readonly count?: number;
}

/** Subjects of identity's mails. */
export const SUBJECTS = {
  reset: "Reset your password",
  verification: "Verify your email address",
  invite: "You are invited to Network topology",
  notice: "New sign-in to your account",
} as const;

/** Waits until an address has this many mails of a subject. @returns the last of them */
export type MailFor = (address: string, which?: MailQuery) => Promise<ReceivedMail>;

export interface Mailbox {
  /** For `SMTP_URL`. */
  readonly url: string;
  readonly port: number;
  /** Settings of a process that sends its mail here. */
  readonly env: Readonly<Record<string, string>>;
  /** The oldest first. */
  readonly mails: ReceivedMail[];
  /** The mails for an address. */
  of(address: string): ReceivedMail[];
  readonly next: MailFor;
  stop(): Promise<void>;
}

/** @param options of the server; `port` to restart one at the same place */
export async function startMailbox({
  port = 0,
  ...options
}: SMTPServerOptions & { port?: number } = {}): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ["STARTTLS"], disableReverseLookup: true, closeTimeout: 100 },
    onData: (stream, session, done) => {
      const to = session.envelope.rcptTo.map(({ address }) => address);
      chunksOf(stream)
        .then((raw) => PostalMime.parse(raw))
        .then(
          (mail) => {
            for (const address of to) mails.push(received(mail, address));
            done();
          },
          (error: unknown) => done(error as Error),
        );
    },
    ...options,
  });
  // Tests may let a client disconnect in the middle of a mail.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: own } = server.server.address() as AddressInfo;
  const url = `smtp://127.0.0.1:${own}?tls=none`;
  const of = (address: string): ReceivedMail[] => mails.filter(({ to }) => to === address);
  return {
    ...{ url, port: own, mails, of, env: { SMTP_URL: url, MAIL_FROM: "Network topology <noreply@nts.example>" } },
    next: mailsFrom((address) => Promise.resolve(of(address))),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** @param of returns the mails for an address, the oldest first */
export function mailsFrom(of: (address: string) => Promise<ReceivedMail[]>): MailFor {
  return async (address, { subject, count = 1 } = {}) => {
    let matching: ReceivedMail[] = [];
    const isThere = async (): Promise<boolean> => {
      matching = (await of(address)).filter((mail) => subject === undefined || mail.subject === subject);
      return matching.length >= count;
    };
    await until(isThere, 50, 60_000);
    return matching[count - 1]!;
  };
}

async function chunksOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function received({ headers, subject = "", text = "", html = "", messageId = "" }: Email, to: string): ReceivedMail {
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? "";
  return { headers, to, subject, text, html, messageId, link, token: /#(?:token|invite)=(.+)/.exec(link)?.[1] ?? "" };
}
