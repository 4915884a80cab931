import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createHash } from "node:crypto";
import { MongoClient } from "mongodb";
import { changePassword, login } from "@nts/shared/contract/users";
import { createDirect, tokenOf, type Direct, type Person } from "../support/direct.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";

let stack: SharedStack;
let identity: Direct;
let mongo: MongoClient;

beforeAll(async () => {
  stack = await sharedStack();
  identity = createDirect(stack);
  mongo = new MongoClient(stack.servers.urls.mongodb);
});

afterAll(() => mongo.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HERE = "192.0.2.1";
const collection = <T extends { _id: string }>(name: string) => mongo.db(stack.databases.identity).collection<T>(name);

const attempt = (email: string, password: string, from = HERE, replica = 0) =>
  identity.send(login, { replica, body: { email, password }, headers: { "x-client-address": from } });

async function failures(email: string, count: number, from = HERE): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await attempt(email, "wrong", from, i % 2)).status);
  return statuses;
}

describe("identity.logins: repeated failures", () => {
  it("cause a wait after the fifth, on every replica, also with the right password, and report how long", async () => {
    const { email, password } = await identity.aPerson();
    expect(await failures(email, 6)).toEqual([401, 401, 401, 401, 401, 429]);
    const refused = await attempt(email, password, HERE, 1);
    expect(refused).toMatchObject({ status: 429, code: "login_throttled" });
    const seconds = Number(refused.headers.get("retry-after"));
    expect(refused.params).toEqual({ retry_after_seconds: seconds });
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(5);
  });

  it("get the same responses for an account that does not exist", async () => {
    expect(await failures("nobody-at-all@example.com", 6)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it("end after the wait with the right password, and count again then", async () => {
    const { email, password } = await identity.aPerson();
    await failures(email, 6);
    await collection("login_failures").updateMany({}, { $set: { failed_at: new Date(Date.now() - 5_000) } });
    expect((await attempt(email, password)).status).toBe(200);
    expect(await failures(email, 5)).toEqual([401, 401, 401, 401, 401]);
  });

  it("do not block users at other addresses; addresses in one /64 count as one", async () => {
    const { email, password } = await identity.aPerson();
    await failures(email, 6, "2001:db8::1");
    expect((await attempt(email, password, "2001:db8::ffff")).status).toBe(429);
    expect((await attempt(email, password, "2001:db8:0:1::1")).status).toBe(200);
    expect((await attempt((await identity.aPerson()).email, password, "2001:db8::1")).status).toBe(200);
  });

  it("cannot be parallelized around the limit", async () => {
    const { email } = await identity.aPerson();
    const responses = await Promise.all(Array.from({ length: 30 }, (_, i) => attempt(email, "wrong", HERE, i % 2)));
    // Guesses are serialized per replica; those of two may coincide once.
    expect(responses.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(6);
    expect(responses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(24);
  });

  it("from many addresses block unknown addresses, and not those the account has logged in from", async () => {
    const { email, password } = await identity.aPerson();
    expect((await attempt(email, password, "198.51.100.1")).status).toBe(200);
    await failures(email, 1, "198.51.100.2");
    const account = createHash("sha256").update(email).digest("hex");
    const raised = { failures: 150, failed_at: new Date() };
    await collection("login_failures").updateOne({ _id: account }, { $set: raised });
    const refused = await attempt(email, password, "198.51.100.3");
    expect(refused).toMatchObject({ status: 429, code: "login_throttled" });
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect((await attempt(email, password, "198.51.100.1")).status).toBe(200);
  });

  it("store neither an email address nor an IP address in the database", async () => {
    const typed = "hunter2-typed-into-the-wrong-field@example.com";
    await failures(typed, 1);
    const stored = JSON.stringify(await collection("login_failures").find().toArray());
    expect(stored).not.toContain("hunter2");
    expect(stored).not.toContain(HERE);
  });
});

describe("identity.logins: changing the password", () => {
  const change = (person: Person, current_password: string, new_password: string) =>
    identity.send(changePassword, { as: person.principal, body: { current_password, new_password } });

  it("ends the user's other sessions, continues under a new token, and keeps the API keys", async () => {
    const person = await identity.aPerson();
    const other = await identity.logIn(person);
    const key = await identity.aKey(person);
    const changed = await change(person, person.password, "another long password");
    expect(changed).toMatchObject({ status: 200, data: null });
    for (const { token } of [other, person])
      expect(await identity.verify("session", token, 1)).toMatchObject({ code: "session_expired" });
    expect(await identity.verify("session", tokenOf(changed.headers), 1)).toMatchObject({ status: "valid" });
    expect(await identity.verify("key", key.secret, 1)).toMatchObject({ status: "valid" });
    expect((await attempt(person.email, person.password)).status).toBe(401);
    expect((await attempt(person.email, "another long password")).status).toBe(200);
  });

  it("requires the present one, and a new one of ten characters", async () => {
    const person = await identity.aPerson();
    expect(await change(person, "wrong", "another long password")).toMatchObject({ code: "invalid_credentials" });
    expect(await change(person, person.password, "short")).toMatchObject({
      code: "validation_failed",
      params: { errors: [{ path: "new_password" }] },
    });
    expect(await change(person, person.password, `${person.email.split("@")[0] ?? ""}123`)).toMatchObject({
      code: "validation_failed",
      params: { errors: [{ path: "new_password", message: expect.stringMatching(/^is too easy to guess\. /) }] },
    });
    expect((await attempt(person.email, person.password)).status).toBe(200);
  });

  it("does not bypass the wait after failed logins", async () => {
    const person = await identity.aPerson();
    const guesses = [];
    for (let i = 0; i < 6; i++) guesses.push((await change(person, "wrong", "another long password")).status);
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it("lets no session begin with the old password, not even one whose login is in progress", async () => {
    for (let round = 0; round < 6; round++) {
      const person = await identity.aPerson();
      const logins = Array.from({ length: 4 }, (_, i) =>
        new Promise((go) => setTimeout(go, 25 * i)).then(() =>
          attempt(person.email, person.password, `192.0.2.${i}`, i % 2),
        ),
      );
      expect((await change(person, person.password, "another long password")).status).toBe(200);
      const accepted = (await Promise.all(logins)).filter(({ status }) => status === 200);
      for (const { headers } of accepted)
        expect(await identity.verify("session", tokenOf(headers))).toMatchObject({ code: "session_expired" });
    }
  });
});

describe("identity.logins: the lifetime of a session", () => {
  const sessions = () => collection<{ _id: string; created_at: Date; expires_at: Date }>("sessions");
  const fromNow = (ms: number): Date => new Date(Date.now() + ms);

  it("is seven days from its last use", async () => {
    const { token, principal } = await identity.aPerson();
    const _id = principal.credentialId;
    await sessions().updateOne({ _id }, { $set: { expires_at: fromNow(HOUR_MS) } });
    expect(await identity.verify("session", token, 1)).toMatchObject({ status: "valid" });
    const { expires_at } = (await sessions().findOne({ _id }))!;
    expect(expires_at.getTime()).toBeGreaterThan(Date.now() + 7 * DAY_MS - 60_000);
  });

  it("is thirty days from its beginning, however much it is used", async () => {
    const { token, principal } = await identity.aPerson();
    const _id = principal.credentialId;
    const aged = { created_at: fromNow(-30 * DAY_MS + HOUR_MS), expires_at: fromNow(HOUR_MS / 2) };
    await sessions().updateOne({ _id }, { $set: aged });
    const verified = await identity.verify("session", token);
    if (verified.status !== "valid") throw new Error(verified.code);
    expect(verified.expires_in_ms).toBeLessThanOrEqual(HOUR_MS);
    await sessions().updateOne({ _id }, { $set: { expires_at: fromNow(-1) } });
    expect(await identity.verify("session", token)).toMatchObject({ code: "session_expired" });
  });
});
