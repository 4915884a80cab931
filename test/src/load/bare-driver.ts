/**
 * The baseline of `bench -- lists`, as a process of its own: the MongoDB driver alone, with the same query on plain
 * documents, decoded and serialized to JSON.
 */
import { MongoClient } from "mongodb";
import { valueAt } from "./shares.js";

const [, , url = "", database = "", work = "page", organizationId = "", connections = "1", seconds = "3"] =
  process.argv;
const client = new MongoClient(url, { maxPoolSize: 16, readConcern: { level: "majority" } });
const services = client.db(database).collection<{ _id: string }>("plain_services");
const ids = (
  await services
    .find({}, { projection: { _id: 1 } })
    .limit(500)
    .toArray()
).map(({ _id }) => _id);

const runs: Record<string, (n: number) => Promise<number>> = {
  page: async () => {
    const found = await services
      .find({ organization_id: organizationId })
      .sort({ created_at: 1, _id: 1 })
      .limit(50)
      .toArray();
    return JSON.stringify(found).length;
  },
  one: async (n) =>
    JSON.stringify(await services.findOne({ organization_id: organizationId, _id: ids[n % ids.length] ?? "" })).length,
};
const run = runs[work] ?? (() => Promise.reject(new Error(`no such work: ${work}`)));

let done = 0;
const latencies: number[] = [];
async function loop(until: number): Promise<void> {
  while (performance.now() < until) {
    const startedAt = performance.now();
    await run(done++);
    latencies.push(performance.now() - startedAt);
  }
}
const workers = (ms: number): Promise<unknown> =>
  Promise.all(Array.from({ length: Number(connections) }, () => loop(performance.now() + ms)));

await workers(1_000);
done = 0;
latencies.length = 0;
const before = process.cpuUsage();
const startedAt = performance.now();
await workers(Number(seconds) * 1_000);
const used = process.cpuUsage(before);
latencies.sort((a, b) => a - b);
const at = (share: number): number => Math.round(valueAt(share, latencies) * 10) / 10;
const perSecond = Math.round((done / (performance.now() - startedAt)) * 1_000);
const cpuMicros = Math.round((used.user + used.system) / done);
console.log(JSON.stringify({ perSecond, p50Ms: at(0.5), p99Ms: at(0.99), cpuMicros }));
await client.close();
