/**
 * `npm run bench -- journal`: the cost of the journal per update, the delay from a commit to a follower, and bytes per
 * entry. `--against <git ref>` measures another build in alternation; `--rate 300`, `--seconds 10` per round.
 */
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { MongoClient } from "mongodb";
import type { Change } from "@nts/shared/contract";
import { type Build, buildHere, buildOfRef } from "../support/build-of-ref.js";
import { UNLIMITED } from "../support/unlimited.js";
import type { Stack } from "../support/stack.js";
import { cpuMicrosOf, type Watched } from "./measure.js";
import { type Inventory, seedInventory } from "./path-work.js";
import { row } from "./work.js";

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: "string" },
    rate: { type: "string", default: "300" },
    seconds: { type: "string", default: "10" },
    services: { type: "string", default: "1000" },
  },
});
const RATE = Number(values.rate);
const SECONDS = Number(values.seconds);
const ROUNDS = 2;

interface Side {
  readonly name: string;
  readonly stack: Stack;
  readonly inventory: Inventory;
  readonly watched: readonly Watched[];
}

const builds = [...(values.against === undefined ? [] : [await buildOfRef(values.against)]), await buildHere()];
const sides: Side[] = [];
try {
  for (const build of builds) sides.push(await startSide(build));
  row("build", "updates/s", "p50 ms", "p99 ms", "failed", "CPU µs/update: gateway / topology / mongod", "all");
  row(...Array.from({ length: 7 }, () => "---"));
  const totals: number[][] = sides.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, side] of sides.entries()) totals[index]?.push(await measure(side));
  const [before, now] = totals.map((of) => of.reduce((sum, one) => sum + one, 0) / of.length);
  if (before !== undefined && now !== undefined)
    console.log(`\nProcessor time of all processes per update: ${(now / before).toFixed(2)} of what it was.`);
  const here = sides.at(-1);
  if (here !== undefined) await measureFollower(here);
} finally {
  await Promise.all(sides.map(({ stack }) => stack.stop()));
}

async function startSide({ name, startStack }: Build): Promise<Side> {
  const env = { ...UNLIMITED, AT_SERVICES_PER_USER: "1000", AT_SERVICES_PER_ORGANIZATION: "1000" };
  const stack = await startStack({ ownMongod: true, env });
  const { gateways, topologies, servers } = stack;
  const processes = { gateway: gateways[0], topology: topologies[0], mongod: servers.mongodb };
  const watched = Object.entries(processes).flatMap(([name, handle]) => (handle ? [{ name, pid: handle.pid() }] : []));
  return { name, stack, watched, inventory: await seedInventory(stack, Number(values.services)) };
}

async function load({ inventory }: Side) {
  const work = inventory.works.find(({ name }) => name.startsWith("PUT, a new name"));
  return autocannon({
    url: inventory.url,
    connections: 16,
    overallRate: RATE,
    duration: SECONDS,
    headers: { authorization: `Bearer ${inventory.key}`, "content-type": "application/json" },
    requests: [{ setupRequest: (request) => ({ ...request, ...work?.next() }) }],
  });
}

/** @returns the processor time of all processes per update */
async function measure(side: Side): Promise<number> {
  const before = await Promise.all(side.watched.map(cpuMicrosOf));
  const result = await load(side);
  const after = await Promise.all(side.watched.map(cpuMicrosOf));
  const done = result["2xx"] + result.non2xx;
  const micros = side.watched.map((_, n) => ((after[n] ?? 0) - (before[n] ?? 0)) / done);
  const all = micros.reduce((sum, one) => sum + one, 0);
  const { p50, p99 } = result.latency;
  row(
    side.name,
    Math.round(done / result.duration),
    p50,
    p99,
    result.non2xx,
    micros.map(Math.round).join(" / "),
    Math.round(all),
  );
  return all;
}

/** Follows by long polls during updates. */
async function measureFollower(side: Side): Promise<void> {
  const { inventory, stack } = side;
  const lags: number[] = [];
  const run = { isOver: false };
  const get = async (query: string): Promise<{ data: Change[]; meta: { next: string } }> => {
    const headers = { authorization: `Bearer ${inventory.key}` };
    return (await (await fetch(`${inventory.url}/api/v1/changes?${query}`, { headers })).json()) as never;
  };
  let after = (await get("order_direction=desc&limit=1")).data[0]?.cursor ?? "";
  const following = (async () => {
    while (!run.isOver) {
      const { data, meta } = await get(`limit=1000&wait=1&after=${after}`);
      after = meta.next;
      for (const { at } of data) lags.push(Date.now() - Date.parse(at));
    }
  })();
  await load(side);
  run.isOver = true;
  await following;
  lags.sort((a, b) => a - b);
  const at = (share: number): number => lags[Math.floor(lags.length * share)] ?? NaN;
  console.log(
    `From commit to a follower, ${lags.length} changes: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(0.9999)} ms.`,
  );

  const client = new MongoClient(stack.servers.urls.mongodb);
  const db = client.db(stack.databases.topology);
  await db.admin().command({ fsync: 1 });
  const [stats] = await db
    .collection("journal")
    .aggregate([{ $collStats: { storageStats: {} } }])
    .toArray();
  const { count = 1, size, storageSize, totalIndexSize } = stats!["storageStats"] as Record<string, number>;
  const each = (bytes = 0): string => (bytes / count).toFixed(0);
  console.log(
    `${count} entries of ${each(size)} bytes each: on disk ${each(storageSize)}, and ${each(totalIndexSize)} of indexes.`,
  );
  await client.close();
}
