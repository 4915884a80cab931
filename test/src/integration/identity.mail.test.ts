/** Queued mails, with a real SMTP server that is unavailable, hangs, or rejects. */
import { createServer, type Socket, type AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { MailOutcome } from "@nts/identity/mail/delivery";
import { requestPasswordReset } from "@nts/shared/contract/mail";
import { register } from "@nts/shared/contract/users";
import { type Identity, startIdentity } from "../support/identity.js";
import { type Mailbox, startMailbox, SUBJECTS } from "../support/mailbox.js";
import { fromRandomAddress, mailSettingsOf } from "../support/mailed.js";
import { until } from "../support/until.js";

/** Of a mail server that does not respond. */
const SMTP_TIMEOUT_MS = 5_000;

type Ending = () => Promise<void>;
let endings: Ending[] = [];

afterEach(async () => {
  for (const end of endings.toReversed()) await end();
  endings = [];
});

async function identityFor(url: string, options: Parameters<typeof startIdentity>[0] = {}): Promise<Identity> {
  const identity = await startIdentity({ replicas: [{ mail: mailSettingsOf(url) }], ...options });
  endings.push(() => identity.stop());
  return identity;
}

async function aMailbox(options: Parameters<typeof startMailbox>[0] = {}): Promise<Mailbox> {
  const mailbox = await startMailbox(options);
  endings.push(() => mailbox.stop());
  return mailbox;
}

/** Requests a mail. @returns milliseconds until the response */
async function sendMail(identity: Identity, email: string): Promise<number> {
  const startedAt = performance.now();
  await identity.data(requestPasswordReset, { body: { email }, headers: fromRandomAddress() });
  return performance.now() - startedAt;
}

const waiting = (identity: Identity) => identity.db.collection("outgoing_mails").countDocuments();
const isDone = (identity: Identity) => until(async () => (await waiting(identity)) === 0, 20, 30_000);

describe("identity.mail: queued mail", () => {
  it("is sent once the unavailable server is back", async () => {
    const stopped = await startMailbox();
    await stopped.stop();
    const identity = await identityFor(stopped.url);
    const { email } = await identity.aPerson();
    await sendMail(identity, email);
    await until(
      async () => (await identity.db.collection("outgoing_mails").findOne({ attempts: { $gt: 0 } })) !== null,
    );
    const back = await aMailbox({ port: stopped.port });
    expect((await back.next(email)).token).not.toBe("");
    await isDone(identity);
  });

  it("does not delay responses while the mail server accepts connections but sends nothing", async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    endings.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => silent.close(resolve));
    });
    const identity = await identityFor(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}?tls=none`);
    const people = await Promise.all(Array.from({ length: 8 }, () => identity.aPerson()));
    for (const { email } of people) expect(await sendMail(identity, email)).toBeLessThan(SMTP_TIMEOUT_MS);
    await until(() => sockets.size > 0);
    // One at a time is tried while it does not respond, and no more than four.
    expect(sockets.size).toBeLessThanOrEqual(5);
  });

  it("is sent by another process when the process that queued it has died", async () => {
    const mailbox = await aMailbox();
    const identity = await identityFor(mailbox.url, { sendsMail: false });
    const { email } = await identity.aPerson();
    await sendMail(identity, email);
    // Another process had claimed it, and died: its lease has ended.
    const died = { $set: { attempts: 1, due_at: new Date(Date.now() - 1) } };
    await identity.db.collection("outgoing_mails").updateMany({}, died);
    identity.startMail();
    await isDone(identity);
    expect(
      mailbox
        .of(email)
        .map(({ subject }) => subject)
        .toSorted(),
    ).toEqual([SUBJECTS.reset, SUBJECTS.verification]);
  });

  it("is retried with the same id when the server defers the recipient, and dropped when it rejects it", async () => {
    const seen: string[] = [];
    const mailbox = await aMailbox({
      onRcptTo: ({ address }, _session, done) => {
        seen.push(address);
        const isFirst = seen.filter((one) => one === address).length === 1;
        const responseCode = address === "never@gone.example" ? 550 : isFirst ? 451 : null;
        done(responseCode === null ? null : Object.assign(new Error(`refused <${address}>`), { responseCode }));
      },
    });
    const identity = await identityFor(mailbox.url, { sendsMail: false });
    for (const email of ["later@busy.example", "never@gone.example"])
      await identity.data(register, { body: { email, password: "correct horse battery staple" } });
    const [promised] = await identity.db.collection<{ _id: string }>("outgoing_mails").find().toArray();
    identity.startMail();
    await isDone(identity);
    expect(seen.toSorted()).toEqual(["later@busy.example", "later@busy.example", "never@gone.example"]);
    expect(mailbox.mails.map(({ to, messageId }) => [to, messageId])).toEqual([
      ["later@busy.example", `<${promised?._id}@nts.example>`],
    ]);
  });
});

const DEFERRED = 12;

/** What a server says to a command, with this status. */
function responseOf(responseCode: number): Error {
  return Object.assign(new Error("try again later"), { responseCode });
}

/** Counts outcomes, and sends what was queued: verifications of addresses to be deferred, then a reset for another one. */
async function queuedFor(mailbox: Mailbox) {
  const outcomes: MailOutcome[] = [];
  const mail = { ...mailSettingsOf(mailbox.url), onOutcome: (outcome: MailOutcome) => void outcomes.push(outcome) };
  const identity = await identityFor(mailbox.url, { sendsMail: false, replicas: [{ mail }] });
  const { email } = await identity.aPerson();
  for (let n = 0; n < DEFERRED; n++) {
    const body = { email: `${n}@deferred.example`, password: "correct horse battery staple" };
    await identity.data(register, { body, headers: fromRandomAddress() });
  }
  await sendMail(identity, email);
  return { identity, email, outcomes };
}

describe("identity.mail: temporary rejections", () => {
  it.each([450, 451, 452])("delay only the mail whose recipient is rejected with %d", async (status) => {
    const isDeferred = (address: string): boolean => address.endsWith("@deferred.example");
    const mailbox = await aMailbox({
      onRcptTo: ({ address }, _session, done) => done(isDeferred(address) ? responseOf(status) : null),
    });
    const { identity, email, outcomes } = await queuedFor(mailbox);
    identity.startMail();
    // A pause for each of them would last minutes.
    await until(() => mailbox.of(email).some(({ subject }) => subject === SUBJECTS.reset), 20, 20_000);
    await until(() => outcomes.filter((outcome) => outcome === "deferred").length >= DEFERRED);
    expect(outcomes).not.toContain("failed");
    const tried = { "about.email": /@deferred/, attempts: { $gt: 0 } };
    expect(await identity.db.collection("outgoing_mails").countDocuments(tried)).toBe(DEFERRED);
  });

  it("delay the mail itself for longer each time", async () => {
    const mailbox = await aMailbox({ onRcptTo: (_address, _session, done) => done(responseOf(450)) });
    const identity = await identityFor(mailbox.url, { sendsMail: false });
    await identity.aPerson();
    const mails = identity.db.collection("outgoing_mails");
    await mails.updateMany({}, { $set: { attempts: 9 } });
    const startedAt = Date.now();
    identity.startMail();
    // Beyond its lease, and a failure of the server.
    await until(async () => (await mails.findOne({ due_at: { $gt: new Date(startedAt + 500_000) } })) !== null);
  });

  it.each([
    ["the sender is rejected", "onMailFrom", 451],
    ["the service is not available", "onRcptTo", 421],
  ] as const)("pause all mail when %s", async (_name, command, status) => {
    const seenAt: number[] = [];
    const mailbox = await aMailbox({
      [command]: (_address: unknown, _session: unknown, done: (error: Error) => void) => {
        seenAt.push(performance.now());
        done(responseOf(status));
      },
    });
    const { identity, outcomes } = await queuedFor(mailbox);
    identity.startMail();
    await until(() => seenAt.length >= 2);
    const [first = 0, second = 0] = seenAt;
    expect(second - first).toBeGreaterThan(900);
    expect(new Set(outcomes)).toEqual(new Set(["failed"]));
  });
});

describe("identity.mail: mail that is not kept or sent", () => {
  it("is dropped when it is too late to be useful", async () => {
    const mailbox = await aMailbox();
    const identity = await identityFor(mailbox.url, { sendsMail: false });
    const { email } = await identity.aPerson();
    await sendMail(identity, email);
    await identity.db.collection("outgoing_mails").updateMany({}, { $set: { expires_at: new Date() } });
    identity.startMail();
    await isDone(identity);
    expect(mailbox.mails).toEqual([]);
  });

  it("contains no secret: the token of its link is stored nowhere, neither before nor after sending", async () => {
    const mailbox = await aMailbox();
    const identity = await identityFor(mailbox.url);
    const { email } = await identity.aPerson();
    await sendMail(identity, email);
    const { token } = await mailbox.next(email);
    const collections = await identity.db.collections();
    const documents = await Promise.all(collections.map((one) => one.find({}).toArray()));
    expect(JSON.stringify(documents)).toContain(email);
    expect(JSON.stringify(documents)).not.toContain(token);
  });

  it("is rejected once ten thousand mails are queued", async () => {
    const mailbox = await aMailbox();
    const identity = await identityFor(mailbox.url, { sendsMail: false });
    const kept = Array.from({ length: 10_000 }, (_, n) => ({
      kind: "password_reset",
      due_at: new Date(Date.now() + 1e8),
      n,
    }));
    await identity.db.collection("outgoing_mails").insertMany(kept);
    const resetRequest = { body: { email: "ada@example.com" }, headers: fromRandomAddress() };
    expect(await identity.send(requestPasswordReset, resetRequest)).toMatchObject({ status: 503, code: "unavailable" });
  });
});
