/** Forgotten passwords, with mail through a real SMTP server. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { CommandStartedEvent } from "mongodb";
import { createInvite, listInvites } from "@nts/shared/contract/invites";
import { requestPasswordReset } from "@nts/shared/contract/mail";
import { loginSecondFactor } from "@nts/shared/contract/second-factor";
import { getUser, login } from "@nts/shared/contract/users";
import type { Person } from "../support/direct.js";
import { type Identity, startIdentity } from "../support/identity.js";
import {
  fromRandomAddress,
  type MailedIdentity,
  mailSettingsOf,
  NEXT_PASSWORD,
  PUBLIC_URL,
  startMailedIdentity,
} from "../support/mailed.js";
import { codeOf, setUpSecondFactor } from "../support/second-factors.js";

let world: MailedIdentity;

beforeAll(async () => {
  world = await startMailedIdentity();
});
afterAll(() => world.stop());

/** A person who requested a reset link, and its token. */
async function aPersonWithResetLink(replica = 0) {
  const person = await world.identity.aPerson();
  await world.requestReset(person.email, replica);
  return { person, mail: await world.resetMail(person.email) };
}

/** The challenge after a sign-in with the password, when a second factor is set up. */
async function challengeOf({ email, password }: Person): Promise<string> {
  const { params } = await world.identity.send(login, { body: { email, password } });
  return String(params["challenge"]);
}

const verify = (email: string) =>
  world.identity.db.collection("users").updateOne({ email }, { $set: { email_verified: true } });

describe("identity.password-resets: a forgotten password", () => {
  it("is replaced through a mailed link, which works once and ends all sessions at once", async () => {
    const { identity, reset, signIn } = world;
    const { person, mail } = await aPersonWithResetLink();
    expect(mail.link).toBe(`${PUBLIC_URL}/reset-password#token=${mail.token}`);
    expect((await reset(mail.token)).status).toBe(200);
    expect(await identity.verify("session", person.token, 1)).toMatchObject({ code: "session_expired" });
    expect([await signIn(person.email, person.password), await signIn(person.email, NEXT_PASSWORD)]).toEqual([
      401, 200,
    ]);
    expect(await reset(mail.token, "yet another good phrase")).toMatchObject({ status: 400, code: "link_expired" });
    expect(await signIn(person.email, NEXT_PASSWORD)).toBe(200);
  });

  it("is replaced once by concurrent uses of a link, which voids every other link of the account", async () => {
    const { identity, reset, requestReset } = world;
    const { person, mail } = await aPersonWithResetLink();
    await requestReset(person.email, 1);
    const other = await world.resetMail(person.email, 2);
    const both = await Promise.all([reset(mail.token, NEXT_PASSWORD, 0), reset(mail.token, NEXT_PASSWORD, 1)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect((await reset(other.token)).code).toBe("link_expired");
    expect(
      await identity.db.collection("link_tokens").countDocuments({ user_id: person.userId, purpose: "password_reset" }),
    ).toBe(0);
  });

  it("is not replaced through an expired or unknown link", async () => {
    const { identity, reset } = world;
    const { person, mail } = await aPersonWithResetLink();
    const past = { $set: { expires_at: new Date() } };
    await identity.db.collection("link_tokens").updateMany({ user_id: person.userId }, past);
    for (const token of [mail.token, "x".repeat(43)]) expect((await reset(token)).code).toBe("link_expired");
    expect(await identity.verify("session", person.token)).toMatchObject({ status: "valid" });
  });

  it("lets its owner in at once, despite the wait after failed logins", async () => {
    const { identity, reset, signIn } = world;
    const { person, mail } = await aPersonWithResetLink();
    for (let guess = 0; guess < 6; guess++) await signIn(person.email, "not this one, either");
    expect((await identity.send(login, { body: { email: person.email, password: person.password } })).status).toBe(429);
    await reset(mail.token);
    expect(await signIn(person.email, NEXT_PASSWORD)).toBe(200);
  });
});

describe("identity.password-resets: the organization", () => {
  it("has audit entries of the request and its result", async () => {
    const { identity, reset } = world;
    const { person, mail } = await aPersonWithResetLink();
    await reset(mail.token);
    const owner = await identity.logIn({ email: person.email, password: NEXT_PASSWORD });
    const entries = await identity.entriesOf(owner, { entity: "User" });
    expect(entries.map(({ action }) => action)).toEqual([
      "created",
      "password_reset_requested",
      "taken_over",
      "password_changed",
    ]);
    expect(entries[1]).toMatchObject({ actor: null, address: expect.stringMatching(/^198\.18\./) });
    expect(entries[3]).toMatchObject({ actor: { user_id: person.userId } });
    expect(JSON.stringify(entries)).not.toContain(mail.token);
  });

  it("may disallow passwords: then the mail explains it, and has no link", async () => {
    const { identity, reset, mailbox, requestReset } = world;
    const { person, mail } = await aPersonWithResetLink();
    await identity.db
      .collection<{ _id: string }>("organizations")
      .updateOne({ _id: person.organizationId }, { $set: { password_login: false } });
    expect((await reset(mail.token)).code).toBe("password_login_disabled");
    await requestReset(person.email);
    const { text, token } = await mailbox.next(person.email, { subject: "Your account has no password" });
    expect([token, text.includes("signs in with an identity provider")]).toEqual(["", true]);
  });
});

describe("identity.password-resets: an unverified address", () => {
  it("is given to the reader of its mail: keys, invites and sessions of the account end", async () => {
    const { identity, reset, signIn } = world;
    const { person, mail } = await aPersonWithResetLink();
    expect(mail.text.replaceAll("\n", " ")).toContain(
      "is removed, too: API keys, invites, second factor and linked sign-in providers",
    );
    const { secret } = await identity.aKey(person);
    await identity.data(createInvite, { as: person.principal, body: { permissions: "Viewer" } });
    await reset(mail.token);
    expect(await identity.verify("key", secret, 1)).toMatchObject({ code: "api_key_invalid" });
    const user = await identity.data(getUser, { as: person.principal, params: { id: person.userId } });
    expect(user.email_verified).toBe(true);
    expect(await identity.data(listInvites, { as: person.principal })).toEqual([]);
    expect(await signIn(person.email, NEXT_PASSWORD)).toBe(200);
  });

  it("keeps its keys and invites once it is verified", async () => {
    const { identity, reset, requestReset } = world;
    const person = await identity.aPerson();
    await verify(person.email);
    const { secret } = await identity.aKey(person);
    await identity.data(createInvite, { as: person.principal, body: { permissions: "Viewer" } });
    await requestReset(person.email);
    const mail = await world.resetMail(person.email);
    expect(mail.text).not.toContain("removed");
    await reset(mail.token);
    expect(await identity.verify("key", secret, 1)).toMatchObject({ status: "valid" });
    expect(await identity.data(listInvites, { as: person.principal })).toHaveLength(1);
  });

  it("is not withheld from its owner by a second factor of whoever registered it, who keeps nothing", async () => {
    const { identity, reset } = world;
    const { person, mail } = await aPersonWithResetLink();
    const secret = await setUpSecondFactor(world.identity, person);
    const challenge = await challengeOf(person);
    expect((await reset(mail.token)).status).toBe(200);
    const owner = await identity.logIn({ email: person.email, password: NEXT_PASSWORD });
    expect(await identity.data(getUser, { as: owner.principal, params: { id: person.userId } })).toMatchObject({
      ...{ second_factor: false, email_verified: true },
    });
    const late = await identity.send(loginSecondFactor, { body: { challenge, code: codeOf(secret, 1) } });
    expect(late.status).not.toBe(200);
    expect(await identity.actionsOf(owner, { entity: "User" })).toEqual(
      [
        "created",
        "password_reset_requested",
        "second_factor_enabled",
        "taken_over",
        "second_factor_disabled",
        "password_changed",
      ].map((action) => `User ${action}`),
    );
    await setUpSecondFactor(world.identity, { ...owner, password: NEXT_PASSWORD });
  });

  it("stays behind the second factor of its account once it is verified", async () => {
    const { identity, reset } = world;
    const { person, mail } = await aPersonWithResetLink();
    await verify(person.email);
    await setUpSecondFactor(world.identity, person);
    expect((await reset(mail.token)).status).toBe(200);
    const firstStep = await identity.send(login, { body: { email: person.email, password: NEXT_PASSWORD } });
    expect(firstStep.code).toBe("second_factor_required");
  });
});

describe("identity.password-resets: requesting links", () => {
  it("reveals nothing about accounts: response and work are the same", async () => {
    await withCommandLog(async ({ aPerson }, requestReset) => {
      const { email: known } = await aPerson();
      const seen = [
        await requestReset(known),
        await requestReset("nobody-at-all@example.com"),
        await requestReset(known),
      ];
      expect(seen[0]?.status).toBe(200);
      expect(seen[0]?.commands).toContain("insert outgoing_mails");
      expect(seen[1]).toEqual(seen[0]);
    });
  });

  it("costs no database access once the limit is reached", async () => {
    await withCommandLog(async (_, requestReset) => {
      const email = "nobody-at-all@example.com";
      const seen = [];
      for (let n = 0; n < 4; n++) seen.push(await requestReset(email));
      expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(seen[3]?.commands).toEqual([]);
    });
  });
});

interface ResetWork {
  readonly status: number;
  readonly text: string;
  /** The commands sent to the database. */
  readonly commands: readonly string[];
}

/** A replica that sends no mail, and a function that requests resets, each from another address. */
async function withCommandLog(
  task: (identity: Identity, requestReset: (email: string) => Promise<ResetWork>) => Promise<void>,
) {
  let commands: string[] = [];
  const onCommand = ({ commandName, command }: CommandStartedEvent) => {
    if (commandName !== "ping") commands.push(`${commandName} ${String(command[commandName])}`);
  };
  const replicas = [{ mail: mailSettingsOf(world.mailbox.url) }];
  const identity = await startIdentity({ replicas, onCommand, sendsMail: false });
  try {
    await task(identity, async (email) => {
      commands = [];
      const { status, text } = await identity.send(requestPasswordReset, {
        body: { email },
        headers: fromRandomAddress(),
      });
      return { status, text: status === 200 ? text : "", commands };
    });
  } finally {
    await identity.stop();
  }
}

describe("identity.password-resets: the number of links", () => {
  it("is three per hour for one email address, from any client, and whether or not there is an account", async () => {
    const { identity, requestReset, mailbox } = world;
    const { email } = await identity.aPerson();
    for (const target of [email, "nobody-here@example.com"]) {
      const responses = [];
      for (let n = 0; n < 4; n++) responses.push(await requestReset(target, n % 2));
      // An hour may end meanwhile.
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused.length).toBeLessThanOrEqual(1);
      if (refused[0] !== undefined)
        expect(refused[0]).toMatchObject({
          code: "mail_throttled",
          params: { retry_after_seconds: expect.any(Number) },
        });
    }
    await world.resetMail(email, 3);
    expect(mailbox.of("nobody-here@example.com")).toEqual([]);
  });

  it("is twenty per hour for one client, and one more is rejected before anything is stored", async () => {
    const { identity, requestReset } = world;
    const headers = { "x-client-address": "2001:db8:1:2::7" };
    const codes = [];
    for (let n = 0; n < 44; n++) codes.push((await requestReset(`stranger-${n}@example.com`, n % 2, headers)).code);
    // An hour may end meanwhile.
    expect(codes.filter((code) => code === "").length).toBeLessThanOrEqual(40);
    expect(codes.filter((code) => code === "mail_throttled").length).toBeGreaterThanOrEqual(4);
    expect(await identity.db.collection("mail_counts").countDocuments()).toBeLessThan(100);
  });

  it("is zero without mail, which is reported, while previously mailed links still work", async () => {
    const { mailbox } = world;
    const identity = await startIdentity({ replicas: [{ mail: mailSettingsOf(mailbox.url) }, { mail: null }] });
    try {
      const { email } = await identity.aPerson();
      const target = { body: { email }, headers: fromRandomAddress() };
      expect(await identity.send(requestPasswordReset, { ...target, replica: 1 })).toMatchObject({
        status: 501,
        code: "mail_not_configured",
      });
    } finally {
      await identity.stop();
    }
  });
});
