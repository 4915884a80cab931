/** Reads of the journal whose response nobody reads: they hold no slot, and leave no cursor open. */
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { listChanges } from "@nts/shared/contract";
import { INTERNAL } from "@nts/shared/http/headers";
import { MOST_OF_USER } from "@nts/topology/journal/waiting";
import { waitForJournal } from "../support/moments.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, unknownEntity } from "../support/topology-world.js";
import { until } from "../support/until.js";

/** More than the first batch of a read, so that its cursor stays open until the rest is read. */
const ENTRIES = 150;
const TIMES = 20;
/** Time for the service to notice that a client is gone; the test holds in either case. */
const NOTICED_MS = 20;

let topology: Topology;
/** Reads of the journal wait for this; `begun` is called when one does. */
let gate: { readonly opened: Promise<void>; begun(): void } | null = null;
/** Running reads of the journal. */
let reads = 0;

beforeAll(async () => {
  topology = await startTopology({
    journal: true,
    storage: (storage) => ({
      ...storage,
      database: {
        ...storage.database,
        batches: async function* (...query) {
          reads += 1;
          gate?.begun();
          await gate?.opened;
          try {
            yield* storage.database.batches(...query);
          } finally {
            reads -= 1;
          }
        },
      },
    }),
  });
});
afterAll(() => topology.stop());

/** The status of a response whose body, if it has one, is not read. */
function statusOf(caller: Caller, method: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(optionsOf(caller, method, path), (response) => {
      resolve(response.statusCode ?? 0);
      sent.destroy();
    });
    sent.on("error", reject).end();
  });
}

const optionsOf = (caller: Caller, method: string, path: string): object => ({
  ...{ port: topology.ports[0], method, path },
  headers: { [INTERNAL.tenancy]: caller.tenancy() },
});

/** Sends a request, and disconnects while its first read lasts. */
async function cut(caller: Caller, path: string): Promise<void> {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  await new Promise<void>((resolve) => {
    const sent = request(optionsOf(caller, "GET", path));
    gate = { opened, begun: () => sent.destroy() };
    sent.on("error", () => undefined).on("close", resolve);
    sent.end();
  });
  gate = null;
  await sleep(NOTICED_MS);
  open();
}

/** Cursors of the journal that wait for their reader. */
async function openCursors(): Promise<number> {
  const ns = `${topology.db.databaseName}.journal`;
  const found = topology.db.client
    .db("admin")
    .aggregate([{ $currentOp: { allUsers: true, idleCursors: true } }, { $match: { type: "idleCursor", ns } }], {
      readConcern: { level: "local" },
    });
  return (await found.toArray()).length;
}

describe("a long poll", () => {
  // There is no such change, so these wait.
  const path = (seconds: number): string => `/api/v1/changes?entity=Port&wait=${seconds}`;
  const poll = (caller: Caller): Promise<number> => statusOf(caller, "GET", path(1));

  it("holds no slot after HEAD", async () => {
    const caller = topology.aCaller();
    for (let n = 0; n < MOST_OF_USER; n++) expect(await statusOf(caller, "HEAD", path(25))).toBe(200);
    expect(await poll(caller)).toBe(200);
  });

  it("frees its slot when its client disconnects, before the response begins or after", async () => {
    const { owner: caller } = await aNetwork(topology.aCaller());
    await waitForJournal(caller);
    for (let n = 0; n < MOST_OF_USER; n++) await cut(caller, path(25));
    await until(async () => (await poll(caller)) === 200, 100, 5_000);
    for (let n = 0; n < MOST_OF_USER; n++) await statusOf(caller, "GET", path(25));
    await until(async () => (await poll(caller)) === 200, 100, 5_000);
  });

  it("is rejected as long as its user has too many, with a failure's headers", async () => {
    const caller = topology.aCaller();
    const waiting = Array.from({ length: MOST_OF_USER + 1 }, () => caller.send(listChanges, { query: { wait: 2 } }));
    const responses = await Promise.all(waiting);
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, code, headers }) => [status, code, headers[INTERNAL.meta]])).toEqual([
      [429, "too_many_in_flight", undefined],
    ]);
  });
});

describe("a page of the journal, or a history", () => {
  it("leaves no cursor open if its response is not read", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const host = await aHost(world, { ports: ENTRIES });
    await waitForJournal(owner);
    for (const path of ["/api/v1/changes?limit=1000", `/api/v1/hosts/${host.id}/history?limit=1000`]) {
      const before = await openCursors();
      for (let n = 0; n < TIMES; n++) expect(await statusOf(owner, "HEAD", path)).toBe(200);
      for (let n = 0; n < TIMES; n++) await cut(owner, path);
      // The database is told that a cursor is not needed without waiting for it.
      await until(async () => reads === 0 && (await openCursors()) <= before, 100, 5_000).catch(() => undefined);
      expect([path, await openCursors()]).toEqual([path, before]);
    }
  });

  it("is 404 for HEAD of an unknown entity, too", async () => {
    const path = `/api/v1/hosts/${unknownEntity().id}/history`;
    expect(await statusOf(topology.aCaller(), "HEAD", path)).toBe(404);
  });
});
