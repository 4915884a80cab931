/** Verified addresses, invites by mail, and sign-in notices, through a real SMTP server. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { acceptInvite, createInvite, listInvites, previewInvite, revokeInvite } from "@nts/shared/contract/invites";
import { createKey } from "@nts/shared/contract/keys";
import { sendVerification, verifyEmail } from "@nts/shared/contract/mail";
import { getCurrentUser, login, register } from "@nts/shared/contract/users";
import { whoami } from "@nts/shared/contract/whoami";
import { keyBodyOf, type Person } from "../support/direct.js";
import { SUBJECTS } from "../support/mailbox.js";
import { fromRandomAddress, type MailedIdentity, PUBLIC_URL, startMailedIdentity } from "../support/mailed.js";
import { until } from "../support/until.js";

let world: MailedIdentity;

beforeAll(async () => {
  world = await startMailedIdentity({ mostOfCaller: 1_000 });
});
afterAll(() => world.stop());

const isVerified = async ({ principal: as }: Person) =>
  (await world.identity.data(getCurrentUser, { as })).email_verified;
const verify = ({ principal: as }: Person, token: string) => world.identity.send(verifyEmail, { as, body: { token } });

/** A person with a verified address. */
async function aVerifiedPerson(): Promise<Person> {
  const person = await world.identity.aPerson();
  const { token } = await world.mailbox.next(person.email);
  expect((await verify(person, token)).status).toBe(200);
  return person;
}

describe("identity.addresses: the address of a new account", () => {
  it("is verified by the mailed link, once, with an audit entry", async () => {
    const { identity, mailbox } = world;
    const person = await identity.aPerson();
    const { link, token, subject } = await mailbox.next(person.email);
    expect([subject, link]).toEqual([SUBJECTS.verification, `${PUBLIC_URL}/verify-email#token=${token}`]);
    expect(await isVerified(person)).toBe(false);
    const verified = await verify(person, token);
    expect(verified.data).toMatchObject({ id: person.userId, email_verified: true });
    expect(await isVerified(person)).toBe(true);
    expect((await verify(person, token)).code).toBe("link_expired");
    expect(await identity.actionsOf(person, { action: "verified" })).toEqual(["User verified"]);
  });

  it("lifts the small quotas of the organization once an Owner has verified it", async () => {
    const { identity, mailbox } = world;
    const person = await identity.aPerson();
    const verified = await identity.verify("session", person.token);
    expect(verified).toMatchObject({ principal: { is_unverified: true } });
    expect(verified.status === "valid" && verified.expires_in_ms).toBeLessThanOrEqual(30_000);
    const body = { permissions: "Viewer" as const };
    const invite = ({ principal: as }: Person) => identity.send(createInvite, { as, body });
    for (let n = 0; n < 5; n++) expect((await invite(person)).status).toBe(200);
    const refused = { status: 403, code: "owner_unverified" };
    expect(await invite(person)).toMatchObject({ ...refused, params: { entity: "Invite", limit: 5 } });
    for (let n = 0; n < 10; n++) await identity.aKey(person);
    const key = { as: person.principal, body: keyBodyOf(person) };
    expect(await identity.send(createKey, key)).toMatchObject({
      ...refused,
      params: { entity: "UserApiKey", limit: 10 },
    });

    const { token } = await mailbox.next(person.email);
    expect((await verify(person, token)).status).toBe(200);
    const lifted = await identity.verify("session", person.token, 1);
    expect(lifted.status === "valid" && lifted.principal.is_unverified).toBeUndefined();
    expect((await invite(await identity.logIn(person))).status).toBe(200);
    // An Owner with another address may join later.
    const organizations = identity.db.collection<{ _id: string }>("organizations");
    expect(await organizations.countDocuments({ _id: person.organizationId, awaits_verification: true })).toBe(0);
  });

  it("is not verified by the session of another user, who may have registered it first", async () => {
    const { identity, mailbox } = world;
    const person = await identity.aPerson();
    const stranger = await identity.aPerson();
    const { token } = await mailbox.next(person.email);
    expect((await verify(stranger, token)).code).toBe("link_expired");
    expect([await isVerified(person), await isVerified(stranger)]).toEqual([false, false]);
  });

  it("gets another mail on request, three in an hour, and none once it is verified", async () => {
    const { identity, mailbox } = world;
    const person = await identity.aPerson();
    await mailbox.next(person.email);
    const send = () => identity.send(sendVerification, { as: person.principal, headers: fromRandomAddress() });
    const codes = [(await send()).code, (await send()).code, (await send()).code];
    // The first mail counts; an hour may end meanwhile.
    expect(codes.slice(0, 2)).toEqual(["", ""]);
    const { token } = await mailbox.next(person.email, { count: 3 });
    await verify(person, token);
    expect((await send()).status).toBe(200);
    expect(mailbox.of(person.email).length).toBeLessThanOrEqual(4);
  });

  it("is returned by whoami, together with whether mail is sent at all", async () => {
    const { identity } = world;
    const person = await identity.aPerson();
    expect(await identity.data(whoami, { as: person.principal })).toMatchObject({
      sends_mail: true,
      user: { email_verified: false },
    });
  });
});

const invite = (person: Person, email: string) =>
  world.identity.send(createInvite, { as: person.principal, body: { permissions: "Member", email } });
const preview = (token: string) => world.identity.send(previewInvite, { replica: 1, body: { token } });
const join = (email: string, invite_token: string) =>
  world.identity.send(register, { body: { email, password: "correct horse battery staple", invite_token } });

describe("identity.addresses: an invite by mail", () => {
  it("verifies the address of a user who joins with its token, and not with the displayed one", async () => {
    const { identity, mailbox } = world;
    const ada = await aVerifiedPerson();
    const first = "bob@mailed.example";
    const second = "eve@mailed.example";
    const shown = (await invite(ada, second)).data.token;
    const made = await invite(ada, first);
    expect(made.data).toMatchObject({ email: first, permissions: "Member" });
    const { link, text, token: mailed } = await mailbox.next(first);
    expect(link).toBe(`${PUBLIC_URL}/sign-up#invite=${mailed}`);
    expect(text.replaceAll("\n", " ")).toContain(`${ada.email} invites you to join “My Organization” at nts.example.`);
    expect(mailed).not.toBe(made.data.token);
    const bob = await join(first, mailed);
    expect(bob.data).toMatchObject({ email: first, email_verified: true, organization_id: ada.organizationId });
    expect((await join("late@mailed.example", made.data.token)).code).toBe("invalid_reference");
    await mailbox.next(second);
    expect((await join(second, shown)).data).toMatchObject({ email: second, email_verified: false });
    const open = await identity.data(listInvites, { as: ada.principal });
    expect(open).toEqual([]);
  });

  it("can be used with another address, which it does not verify", async () => {
    const { mailbox } = world;
    const ada = await aVerifiedPerson();
    await invite(ada, "frank@mailed.example");
    const { token } = await mailbox.next("frank@mailed.example");
    expect((await join("frank@elsewhere.example", token)).data).toMatchObject({ email_verified: false });
  });

  it("verifies the address of an account that accepts it by its mail, and no other address", async () => {
    const { identity, mailbox } = world;
    const ada = await aVerifiedPerson();
    const known = await identity.aPerson();
    const other = await identity.aPerson();
    const isVerifiedBy = async (person: Person, count: number): Promise<boolean> => {
      await invite(ada, known.email);
      const { token } = await mailbox.next(known.email, { subject: SUBJECTS.invite, count });
      await identity.data(acceptInvite, { as: person.principal, body: { token } });
      return isVerified(person);
    };
    expect(await isVerifiedBy(other, 1)).toBe(false);
    expect(await isVerifiedBy(known, 2)).toBe(true);
    expect(await identity.actionsOf(known, { entity: "User" })).toEqual(["User created", "User verified"]);
  });
});

describe("identity.addresses: the token of an invite", () => {
  it("shows any holder the invite, and stays usable", async () => {
    const { mailbox } = world;
    const ada = await aVerifiedPerson();
    const made = (await invite(ada, "grace@mailed.example")).data;
    const { token } = await mailbox.next("grace@mailed.example");
    const { email, permissions, expires_at } = made;
    const leads = { organization_name: "My Organization", permissions, email, expires_at };
    for (const one of [made.token, token, token]) expect((await preview(one)).data).toEqual(leads);
    const unmailed = await world.identity.data(createInvite, { as: ada.principal, body: { permissions: "Viewer" } });
    expect((await preview(unmailed.token)).data).toMatchObject({ email: null, permissions: "Viewer" });
    expect((await join("grace@mailed.example", token)).status).toBe(200);
    expect((await preview(token)).code).toBe("invalid_reference");
  });

  it("is void once it is revoked, also the mailed one", async () => {
    const { identity, mailbox } = world;
    const ada = await aVerifiedPerson();
    const { id } = (await invite(ada, "carol@mailed.example")).data;
    const { token } = await mailbox.next("carol@mailed.example");
    await identity.data(revokeInvite, { as: ada.principal, params: { id } });
    const joined = await join("carol@mailed.example", token);
    expect(joined).toMatchObject({ code: "invalid_reference", params: { path: "invite_token" } });
  });

  it("is sent only by users with a verified address, and three times a day to one address", async () => {
    const { identity } = world;
    const stranger = await identity.aPerson();
    expect(await invite(stranger, "victim@mailed.example")).toMatchObject({ status: 403, code: "email_unverified" });
    const ada = await aVerifiedPerson();
    const ben = await aVerifiedPerson();
    const codes = [];
    for (let n = 0; n < 4; n++) codes.push((await invite(n % 2 === 0 ? ada : ben, "victim@mailed.example")).code);
    expect(codes.slice(0, 3)).toEqual(["", "", ""]);
    // A day may end meanwhile.
    expect(["mail_throttled", ""]).toContain(codes[3]);
  });
});

describe("identity.addresses: a sign-in from a new place", () => {
  const FOX = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0";
  const signIn = ({ email, password }: Person, address: string, agent = FOX) =>
    world.identity.send(login, {
      body: { email, password },
      headers: { "x-client-address": address, "user-agent": agent },
    });
  const noticesOf = ({ email }: Person) => world.mailbox.of(email).filter(({ subject }) => subject === SUBJECTS.notice);

  it("is mailed to the user, with browser and address, and only once for each", async () => {
    const ada = await aVerifiedPerson();
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.2"])
      expect((await signIn(ada, address)).status).toBe(200);
    await until(() => noticesOf(ada).length >= 2, 20, 30_000);
    await until(async () => (await world.identity.db.collection("outgoing_mails").countDocuments()) === 0, 20, 30_000);
    const texts = noticesOf(ada).map(({ text }) => text.replaceAll("\n", " "));
    const places = texts.map((text) => /Firefox 131 on Linux, from (192\.0\.2\.\d)/.exec(text)?.[1]);
    // The account was created from another address, without a browser. Mails are sent concurrently.
    expect(places.sort()).toEqual(["192.0.2.1", "192.0.2.2"]);
  });

  it("is not mailed to an unverified address", async () => {
    const person = await world.identity.aPerson();
    await signIn(person, "192.0.2.9");
    await world.mailbox.next(person.email);
    await until(async () => (await world.identity.db.collection("outgoing_mails").countDocuments()) === 0, 20, 30_000);
    expect(noticesOf(person)).toEqual([]);
  });
});
