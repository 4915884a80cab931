/** Mails about what happens in the networks of a user, with a real mail server, and topology with its journal. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createHost, createNetwork, deleteNetwork } from "@nts/shared/contract";
import { getNotifications, type NotificationsUpdate, updateNotifications } from "@nts/shared/contract/notifications";
import { updateUser } from "@nts/shared/contract/users";
import { AppError, type ErrorCode } from "@nts/shared/errors";
import type { InternalClient } from "@nts/shared/upstream/internal-client";
import type { Person } from "../support/direct.js";
import { type Identity, startIdentity } from "../support/identity.js";
import { type Mailbox, startMailbox } from "../support/mailbox.js";
import { mailSettingsOf, PUBLIC_URL } from "../support/mailed.js";
import { waitForJournal } from "../support/moments.js";
import { importScan } from "../support/imports.js";
import { importBlock } from "../support/sightings.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { until } from "../support/until.js";

const MINUTE_MS = 60_000;

let topology: Topology;
let mailbox: Mailbox;
let identity: Identity;
/** How far the clock of identity is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  [topology, mailbox] = await Promise.all([startTopology({ journal: true }), startMailbox()]);
  const process = topology.aProcess();
  const ask: InternalClient["ask"] = async (operation, question) => {
    const { status, data, code, params } = await process.send(operation, question as never);
    if (status !== 200) throw new AppError(code as ErrorCode, params);
    return data;
  };
  const replica = {
    ...{ topology: { ask }, mail: mailSettingsOf(mailbox.url), publicUrl: PUBLIC_URL },
    now: () => new Date(Date.now() + aheadMs),
  };
  identity = await startIdentity({ replicas: [replica, replica], sendsMail: false });
});
afterAll(async () => {
  await Promise.all([identity.stop(), mailbox.stop(), topology.stop()]);
});

const users = () => identity.db.collection<{ _id: string }>("users");
const queued = () => identity.db.collection("outgoing_mails").countDocuments({ kind: "news" });
/** Looks for news, some minutes later than the last time. */
const notify = async (minutes: number): Promise<void> => {
  aheadMs += minutes * MINUTE_MS;
  await identity.notify();
};
const want = ({ principal: as }: Person, body: NotificationsUpdate | Pick<NotificationsUpdate, "events">) =>
  identity.send(updateNotifications, { as, body });

interface World {
  readonly owner: Person;
  /** The same organization at topology. */
  readonly there: Caller;
  readonly network: string;
}

/** An organization with a network, whose Owner has a verified address. */
async function aWorld(): Promise<World> {
  const owner = await aVerified(await identity.aPerson());
  const there = topology.aCaller({ organizationId: owner.organizationId });
  const { id } = await there.call(createNetwork, { body: { name: "Home" } });
  return { owner, there, network: id };
}

async function aVerified(person: Person): Promise<Person> {
  await users().updateOne({ _id: person.userId }, { $set: { email_verified: true } as never });
  return person;
}

const newsFor = ({ email }: Person) => mailbox.of(email).filter(({ text }) => text.includes("You chose to be told"));

/** Sends everything that is queued. */
async function send(): Promise<void> {
  identity.startMail();
  await until(async () => (await queued()) === 0, 20, 30_000);
  await identity.stopMail();
}

describe("identity.notifications", () => {
  it("are refused without a verified address, and for networks of others", async () => {
    const person = await identity.aPerson();
    expect(await identity.data(getNotifications, { as: person.principal })).toEqual({
      ...{ events: [], network_ids: null, only_unknown: false },
    });
    const refused = await want(person, { events: ["host_created"] });
    expect([refused.status, refused.code]).toEqual([403, "email_unverified"]);
    expect((await want(person, { events: [] })).status).toBe(200);
    const { network } = await aWorld();
    await aVerified(person);
    const elsewhere = { events: [], network_ids: [network], only_unknown: false };
    expect(await want(person, elsewhere)).toMatchObject({ status: 400, code: "invalid_reference" });
  });

  it("join what happens within five minutes, tell it once over all replicas, at most every ten minutes, with links", async () => {
    const { owner, there, network } = await aWorld();
    const { owner: other } = await aWorld();
    await want(other, { events: ["host_created"] });
    const wanted = { events: ["host_created" as const, "host_missed" as const], network_ids: null, only_unknown: true };
    expect((await want(owner, wanted)).data).toEqual(wanted);
    await notify(0);
    await there.call(createHost, { body: { network_id: network, name: "known" } });
    await importBlock(there, network, "10.0.0.0/29", [{ ip: "10.0.0.1" }, { ip: "10.0.0.2", hostname: "tv.example" }]);
    await waitForJournal(there);
    await notify(2);
    expect(await queued()).toBe(0);
    await notify(4);
    expect(await queued()).toBe(1);
    await importBlock(there, network, "10.0.0.0/29", [{ ip: "10.0.0.1" }]);
    await waitForJournal(there);
    await notify(6);
    expect(await queued()).toBe(1);
    await notify(5);
    await notify(5);
    expect(await queued()).toBe(2);
    await send();
    // Several mails are sent at a time.
    const [second, first] = newsFor(owner).toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
    expect([first?.subject, second?.subject]).toEqual(["2 new hosts", "1 host not seen"]);
    expect(first?.text).toMatch(/New: 10\.0\.0\.1, in Home, 20[-\d]+ [:\d]+ UTC\./);
    expect(first?.text).toContain("tv[.]example");
    expect(first?.text).toContain(`${PUBLIC_URL}/hosts/`);
    expect(first?.text).not.toContain("known");
    expect(newsFor(other)).toEqual([]);
  });

  it("tell of a certificate once for each threshold", async () => {
    // Topology's clock says when it was seen.
    aheadMs = 0;
    const { owner, there, network } = await aWorld();
    await want(owner, { events: ["certificate_ending"] });
    await notify(0);
    const ends = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 19);
    await importBlockWithCertificate(there, network, ends);
    for (const minutes of [1, 12, 12, 12]) await notify(minutes);
    expect(await queued()).toBe(1);
    await send();
    expect(newsFor(owner).map(({ subject }) => subject)).toEqual(["1 certificate ends"]);
    expect(newsFor(owner)[0]?.text).toContain("Certificate of nas[.]example on 443/tcp of 10.0.0.9, in Home");
  });

  it("send nothing of a network that the user may not use any more, nor to a disabled or removed user", async () => {
    const { owner, there, network } = await aWorld();
    const { id: second } = await there.call(createNetwork, { body: { name: "Second" } });
    const invited = () => identity.aColleague(owner, { permissions: "Viewer", network_ids: [network, second] });
    const [narrowed, disabled, removed] = [
      await aVerified(await invited()),
      await aVerified(await invited()),
      await aVerified(await invited()),
    ] as const;
    for (const person of [narrowed, disabled, removed]) await want(person, { events: ["host_created"] });
    await notify(0);
    for (const network_id of [network, second])
      await there.call(createHost, { body: { network_id, name: network_id === second ? "seen" : "unseen" } });
    await waitForJournal(there);
    await notify(6);
    expect(await queued()).toBe(3);
    // All of this happens between queuing and sending.
    const rights = { permissions: "Viewer" as const, network_ids: [second] };
    await identity.data(updateUser, { as: owner.principal, params: { id: narrowed.userId }, body: rights });
    await users().updateOne({ _id: disabled.userId }, { $set: { disabled_at: new Date() } as never });
    await users().deleteOne({ _id: removed.userId });
    await send();
    expect(newsFor(narrowed).map(({ subject }) => subject)).toEqual(["1 new host"]);
    expect(newsFor(narrowed)[0]?.text).not.toContain("unseen");
    expect([...newsFor(disabled), ...newsFor(removed)]).toEqual([]);
    await notify(11);
    const left = await identity.db
      .collection("notifications")
      .find({ organization_id: owner.organizationId })
      .toArray();
    expect(left.map(({ user_id }) => String(user_id)).toSorted()).toEqual(
      [narrowed.userId, disabled.userId].toSorted(),
    );
    await there.call(deleteNetwork, { params: { id: second } });
  });
});

/** A host whose web server presents a certificate. */
async function importBlockWithCertificate(there: Caller, network: string, ends: string): Promise<void> {
  const script =
    `<script id="ssl-cert" output=""><table key="subject"><elem key="commonName">nas.example</elem></table>` +
    `<table key="issuer"><elem key="commonName">An issuer</elem></table>` +
    `<table key="validity"><elem key="notBefore">2026-01-01T00:00:00</elem><elem key="notAfter">${ends}</elem></table>` +
    `<elem key="sha256">${"ab".repeat(32)}</elem></script>`;
  const file =
    `<nmaprun scanner="nmap" version="7.93" args="nmap -oX - 10.0.0.9">\n` +
    `<host><status state="up" reason="arp-response"/><address addr="10.0.0.9" addrtype="ipv4"/><ports>` +
    `<port protocol="tcp" portid="443"><state state="open"/><service name="https"/>${script}</port></ports></host>\n` +
    `<runstats><finished time="1" exit="success"/><hosts up="1" down="0" total="1"/></runstats>\n</nmaprun>\n`;
  await importScan(there, network, file);
}
