import { performance } from "node:perf_hooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { createBus, type Bus } from "@nts/shared/bus/bus";
import { deleteKey, rotateKey, updateKey, type UserApiKeyInput } from "@nts/shared/contract/keys";
import { pullKeyChanges, type KeyChanges } from "@nts/shared/contract/internal";
import { keyApplied, keyChanged } from "@nts/shared/contract/messages";
import { createNetwork } from "@nts/shared/contract/networks";
import { updateOrganization } from "@nts/shared/contract/organizations";
import { logout } from "@nts/shared/contract/users";
import { hashCredential } from "@nts/shared/credential";
import { INTERNAL } from "@nts/shared/http/headers";
import { createLog } from "@nts/shared/log";
import { createDirect, keyBodyOf, type Direct, type Person } from "../support/direct.js";
import { startStack, type Stack } from "../support/stack.js";
import { until } from "../support/until.js";

// The tests act as gateways: they request leases, receive notices and acknowledge changes.

const LEASE_MS = 1_000;
const LONGEST_MS = 1_050;

let stack: Stack;
let identity: Direct;
let mongo: MongoClient;

beforeAll(async () => {
  stack = await startStack({ gateways: 0, identities: 2 });
  identity = createDirect(stack);
  mongo = new MongoClient(stack.servers.urls.mongodb);
});

afterAll(async () => {
  await mongo.close();
  await stack.stop();
});

beforeEach(async () => {
  await mongo.db(stack.databases.identity).collection("gateways").deleteMany({});
});

const pull = (gateway: string, after: number, replica = 0): Promise<KeyChanges> =>
  identity.data(pullKeyChanges, { as: { kind: "process" }, replica, query: { after, gateway } });

const leave = (gateway: string, after: number, replica = 0): Promise<KeyChanges> =>
  identity.data(pullKeyChanges, { as: { kind: "process" }, replica, query: { after, gateway, leaving: true } });

/** The number of the newest change. */
async function highest(): Promise<number> {
  const { highest } = await pull("nobody", 0);
  await mongo.db(stack.databases.identity).collection<{ _id: string }>("gateways").deleteOne({ _id: "nobody" });
  return highest;
}

async function aKey(person: Person) {
  const { params } = await identity.aKey(person);
  return { as: person.principal, params };
}

/** The duration of a request in milliseconds. */
async function timed(request: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await request();
  return performance.now() - startedAt;
}

/** On a busy machine an attempt may be delayed, or a lease end too early: the property must hold in one of a few. */
async function inOneAttempt(
  isEnough: (milliseconds: number) => boolean,
  attempt: () => Promise<number>,
): Promise<void> {
  let milliseconds = await attempt();
  for (let again = 0; again < 4 && !isEnough(milliseconds); again++) milliseconds = await attempt();
  expect([milliseconds, isEnough(milliseconds)]).toEqual([milliseconds, true]);
}

const doesNotWait = (milliseconds: number): boolean => milliseconds < LEASE_MS / 2;
const endsWithinLease = (milliseconds: number): boolean => milliseconds < LEASE_MS;
const waitsForLease = (milliseconds: number): boolean => milliseconds >= LONGEST_MS - 2;

/** A gateway that receives notices and acknowledges changes. */
function aListeningGateway(): Bus {
  return createBus(stack.servers.urls.nats.gateway, "test", createLog("test", "silent"));
}

async function untilConnected(bus: Bus): Promise<void> {
  await until(() => bus.isConnected());
}

describe("identity.key-changes: the log", () => {
  it("has one entry for each change of permissions, and none for other changes", async () => {
    const person = await identity.aPerson();
    const key = await aKey(person);
    await identity.data(createNetwork, { as: key.as, body: { name: "Home" } });
    const before = await highest();
    const put = (more: Partial<UserApiKeyInput>) => identity.data(updateKey, { ...key, body: keyBodyOf(person, more) });
    const rename = (more: object) =>
      identity.data(updateOrganization, {
        as: key.as,
        params: { id: person.organizationId },
        body: { name: "A", ...more },
      });

    await put({});
    await put({ name: "Renamed", tags: ["new"] });
    await put({ is_enabled: true, permissions: "Viewer", network_ids: null, expires_at: null });
    await rename({});
    await rename({ api_access_enabled: true });
    expect(await highest()).toBe(before);

    await put({ is_enabled: false });
    await put({ permissions: "Member" });
    await put({ network_ids: [] });
    await put({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    await identity.data(rotateKey, key);
    await identity.data(deleteKey, key);
    await rename({ api_access_enabled: false });
    await identity.data(logout, { as: key.as });
    const { changes, reset } = await pull("nobody", before);
    const keyId = key.params.id;
    const sessionId = key.as.credentialId;
    expect(reset).toBe(false);
    expect(changes.map(({ subjects }) => subjects)).toEqual([
      ...Array.from({ length: 6 }, () => [keyId]),
      [person.organizationId],
      [sessionId],
    ]);
  });
});

describe("identity.key-changes: numbers and gateways", () => {
  it("have no gaps in numbers, however many changes are concurrent", async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => identity.aPerson()));
    const keys = await Promise.all(people.map(aKey));
    const before = await highest();
    await Promise.all(keys.map((key, i) => identity.data(rotateKey, { ...key, replica: i % 2 })));
    const { changes, highest: last } = await pull("nobody", before, 1);
    expect(last).toBe(before + 12);
    expect(changes.map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, i) => before + 1 + i));
    expect(changes.map(({ subjects }) => subjects[0]).sort()).toEqual(keys.map(({ params }) => params.id).sort());
  });

  it("return a reset to a gateway that missed entries no longer retained", async () => {
    const key = await aKey(await identity.aPerson());
    const before = await highest();
    await identity.data(rotateKey, key);
    await identity.data(rotateKey, key);
    await mongo
      .db(stack.databases.identity)
      .collection<{ _id: number }>("key_changes")
      .deleteOne({ _id: before + 1 });
    expect(await pull("late", before)).toMatchObject({ changes: [], highest: before + 2, reset: true });
    expect(await pull("late", before + 1)).toMatchObject({ changes: [{ number: before + 2 }], reset: false });
  });

  it("include the number of live gateways", async () => {
    expect(await pull("a", 0)).toMatchObject({ live_gateways: 1 });
    for (const [gateway, replica] of [
      ["b", 1],
      ["a", 1],
    ] as const)
      await until(async () => {
        await Promise.all([pull("a", 0), pull("b", 0)]);
        return (await pull(gateway, 0, replica)).live_gateways === 2;
      });
  });
});

describe("identity.key-changes: the response to a change", () => {
  it("is immediate when no gateway is live", async () => {
    const key = await aKey(await identity.aPerson());
    await inOneAttempt(doesNotWait, () => timed(() => identity.data(rotateKey, key)));
  });

  it("waits for a silent gateway until its lease has ended", async () => {
    const key = await aKey(await identity.aPerson());
    await inOneAttempt(waitsForLease, async () => {
      await pull("silent", await highest());
      return timed(() => identity.data(rotateKey, key));
    });
  });

  it("is sent when the gateway acknowledges the change on the bus", async () => {
    const key = await aKey(await identity.aPerson());
    const bus = aListeningGateway();
    bus.subscribe(keyChanged, ({ number }) => {
      bus.publish(keyApplied, { gateway: "listening", number });
    });
    try {
      await untilConnected(bus);
      await inOneAttempt(doesNotWait, async () => {
        await pull("listening", await highest());
        return timed(() => identity.data(rotateKey, key));
      });
    } finally {
      await bus.close();
    }
  });

  it.each([0, 1])("is sent when the gateway requests its next lease, at replica %i", async (replica) => {
    const key = await aKey(await identity.aPerson());
    await inOneAttempt(endsWithinLease, async () => {
      const before = await highest();
      await pull("asking", before, replica);
      let over = 0;
      const rotation = timed(() => identity.data(rotateKey, key)).finally(() => over++);
      let page = await pull("asking", before, replica);
      while (page.highest === before) page = await pull("asking", before, replica);
      const isEarly = over > 0;
      await pull("asking", page.highest, replica);
      return isEarly ? Infinity : rotation;
    });
  });
});

describe("identity.key-changes: the response and its gateways", () => {
  it("does not wait for a gateway that has deregistered, at any replica", async () => {
    const key = await aKey(await identity.aPerson());
    await inOneAttempt(doesNotWait, async () => {
      const before = await highest();
      await Promise.all([pull("left", before), pull("also left", before, 1)]);
      await leave("left", before, 1);
      expect(await leave("also left", before)).toMatchObject({ live_gateways: 0 });
      return timed(() => identity.data(rotateKey, key));
    });
  });

  it("is sent when the last pending gateway deregisters", async () => {
    const key = await aKey(await identity.aPerson());
    await inOneAttempt(endsWithinLease, async () => {
      const before = await highest();
      await pull("leaving", before);
      const rotation = timed(() => identity.data(rotateKey, key));
      let page = await pull("leaving", before);
      while (page.highest === before) page = await pull("leaving", before);
      await leave("leaving", before, 1);
      return rotation;
    });
  });

  it("still waits for the remaining gateways", async () => {
    const key = await aKey(await identity.aPerson());
    await inOneAttempt(waitsForLease, async () => {
      const before = await highest();
      await Promise.all([pull("left", before), pull("silent", before)]);
      await leave("left", before);
      return timed(() => identity.data(rotateKey, key));
    });
  });

  it("waits for every gateway, not only for the first", async () => {
    const key = await aKey(await identity.aPerson());
    await inOneAttempt(waitsForLease, async () => {
      const before = await highest();
      await Promise.all([pull("quick", before), pull("silent", before, 1)]);
      const rotation = timed(() => identity.data(rotateKey, key));
      let page = await pull("quick", before);
      while (page.highest === before) page = await pull("quick", before);
      await pull("quick", page.highest);
      return rotation;
    });
  });

  it.each([
    ["without a further effect", updateKey, 200],
    ["of a deleted key", deleteKey, 404],
  ])("waits as long for a repetition %s while gateways may still apply the first", async (_kind, operation, status) => {
    const person = await identity.aPerson();
    const change = { ...(await aKey(person)), body: keyBodyOf(person, { is_enabled: false }) };
    const before = await highest();
    await pull("silent", before);
    const first = identity.send(operation, change);
    let page = await pull("silent", before);
    while (page.highest === before) page = await pull("silent", before);
    const startedAt = performance.now();
    const repeated = await identity.send(operation, { ...change, replica: 1 });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(LONGEST_MS - 2);
    expect(repeated.status).toBe(status);
    await first;
    // By now no gateway can still be applying it, so nothing is waited for.
    await inOneAttempt(doesNotWait, () => timed(() => identity.send(operation, change)));
  });

  it("waits as long for a repeated logout, whose session has ended already", async () => {
    const { token } = await identity.aPerson();
    const out = { headers: { [INTERNAL.sessionHashes]: hashCredential(token) } };
    const before = await highest();
    await pull("silent", before);
    const first = identity.data(logout, out);
    let page = await pull("silent", before);
    while (page.highest === before) page = await pull("silent", before);
    expect(await timed(() => identity.data(logout, { ...out, replica: 1 }))).toBeGreaterThanOrEqual(LONGEST_MS - 2);
    await first;
    await inOneAttempt(doesNotWait, () => timed(() => identity.data(logout, out)));
  });
});
