/**
 * `npm run bench -- idle`: what `npm start` with the demo network costs while nobody uses it: processor time and memory of
 * each process, and the commands that MongoDB gets. `--seconds 60` of measuring, after `--rest 20`.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { MongoClient } from "mongodb";
import { loadSecrets } from "@nts/local/secrets";
import { mongodbUrlOf } from "@nts/local/servers/mongod";
import { newPlace, READY } from "../support/start-place.js";
import { exactCpuMicrosOf, residentMbOf, type Watched, wakeUpsOf } from "./measure.js";
import { row } from "./work.js";

const { values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "60" }, rest: { type: "string", default: "20" } },
});
const SECONDS = Number(values.seconds);

const place = await newPlace();
try {
  const started = place.start(["--demo"]);
  await started.untilPrinted(READY);
  const runs = await place.runs();
  const watched = [{ name: "npm start", pid: started.pid }, ...runs];
  const command = runs.find(({ name }) => name === "mongod")?.command ?? "";
  const client = new MongoClient(mongodbUrlOf(command, loadSecrets(place.dataDir).mongodbPassword) ?? "");
  await client.connect();
  await delay(Number(values.rest) * 1_000);
  await measure(watched, client);
  await client.close();
} finally {
  await place.clear();
}

async function measure(watched: readonly Watched[], client: MongoClient): Promise<void> {
  const cpu = await Promise.all(watched.map(exactCpuMicrosOf));
  const wakeUps = await Promise.all(watched.map(wakeUpsOf));
  const commands = await commandsOf(client);
  await delay(SECONDS * 1_000);
  const commandsAfter = await commandsOf(client);
  const cpuAfter = await Promise.all(watched.map(exactCpuMicrosOf));
  const wakeUpsAfter = await Promise.all(watched.map(wakeUpsOf));
  const memory = await Promise.all(watched.map(residentMbOf));

  const figures = watched.map(({ name }, n) => ({
    name,
    percent: ((cpuAfter[n] ?? 0) - (cpu[n] ?? 0)) / SECONDS / 10_000,
    perSecond: ((wakeUpsAfter[n] ?? 0) - (wakeUps[n] ?? 0)) / SECONDS,
    mb: memory[n] ?? 0,
  }));
  const sum = (of: "percent" | "perSecond" | "mb"): number => figures.reduce((all, one) => all + one[of], 0);
  const all = { name: "all", percent: sum("percent"), perSecond: sum("perSecond"), mb: sum("mb") };
  row("process", "% of a processor", "wake-ups per second", "resident MB");
  row("---", "---", "---", "---");
  for (const { name, percent, perSecond, mb } of [...figures, all])
    row(name, percent.toFixed(2), perSecond.toFixed(0), mb);
  console.log("\nCommands of MongoDB per second, with those of replication and of this measurement:");
  for (const [name, count] of commandsAfter) {
    const perSecond = (count - (commands.get(name) ?? 0)) / SECONDS;
    if (perSecond > 0.01) console.log(`  ${name} ${perSecond.toFixed(2)}`);
  }
}

/** How often each command was run so far, the most frequent first. */
async function commandsOf(client: MongoClient): Promise<Map<string, number>> {
  const { metrics } = await client.db("admin").command({ serverStatus: 1 });
  const commands = (metrics as { commands: Record<string, { total?: number }> }).commands;
  const counted = Object.entries(commands).map(([name, { total = 0 }]) => [name, total] as const);
  return new Map(counted.toSorted(([, a], [, b]) => b - a));
}
