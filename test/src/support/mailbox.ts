/** A real SMTP server on this machine that keeps what it is given. */
import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { until } from "./until.js";

/** A mail as its reader has it. */
export interface ReceivedMail extends Pick<Email, "headers"> {
  /** As the envelope says. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  /** The first link in it; empty without one. */
  readonly link: string;
  /** What the link has behind `#token=` or `#invite=`. */
  readonly token: string;
}

/** Of any subject, and the first, unless given. */
export interface MailWanted {
  readonly subject?: string;
  readonly count?: number;
}

/** Subjects of what identity sends. */
export const SUBJECTS = {
  reset: "Reset your password",
  verification: "Verify your email address",
  invite: "You are invited to Network topology",
  notice: "New sign-in to your account",
} as const;

/** Waits until an address has so many mails of a subject. @returns the last of them */
export type MailFor = (address: string, which?: MailWanted) => Promise<ReceivedMail>;

export interface Mailbox {
  /** For `SMTP_URL`. */
  readonly url: string;
  readonly port: number;
  /** Settings of a process that sends its mail here. */
  readonly env: Readonly<Record<string, string>>;
  /** The oldest first. */
  readonly mails: ReceivedMail[];
  /** Those for an address. */
  of(address: string): ReceivedMail[];
  readonly next: MailFor;
  stop(): Promise<void>;
}

/** @param options what the server does other than taking everything; `port` for one that comes back */
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
  // A client that goes away in the midst of a mail is none of a test's faults.
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

/** @param of the mails for an address, the oldest first */
export function mailsFrom(of: (address: string) => Promise<ReceivedMail[]>): MailFor {
  return async (address, { subject, count = 1 } = {}) => {
    let wanted: ReceivedMail[] = [];
    const isThere = async (): Promise<boolean> => {
      wanted = (await of(address)).filter((mail) => subject === undefined || mail.subject === subject);
      return wanted.length >= count;
    };
    await until(isThere, 50, 60_000);
    return wanted[count - 1]!;
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
