/** `npm run long -- clients`: the OpenAPI document is good enough for generators of clients, with their default settings. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aKey, anAccount } from "../support/api.js";
import { startStack } from "../support/stack.js";
import { GENERATORS, type Place } from "./client-generators.js";

/** Uses a client of each generator, or of those named; returns whether all work that this machine can make. */
export async function workWithClients(names: readonly string[]): Promise<boolean> {
  const unknown = names.filter((name) => !GENERATORS.some((generator) => generator.name === name));
  if (unknown.length > 0) throw new Error(`Name some of: ${GENERATORS.map(({ name }) => name).join(", ")}.`);
  const chosen = GENERATORS.filter(({ name }) => names.length === 0 || names.includes(name));
  const folder = await mkdtemp(join(tmpdir(), "clients-"));
  const stack = await startStack();
  const results: { generator: string; result: string; seconds: number }[] = [];
  try {
    const { secret, caller } = await aKey(stack.url, await anAccount(stack.url));
    const file = join(folder, "neighbours.txt");
    await writeFile(file, "10.0.0.9 dev eth0 lladdr 52:54:00:12:34:56 REACHABLE\n");
    for (const { name, lacks, work } of chosen) {
      const startedAt = Date.now();
      const place: Place = { folder: join(folder, name), url: stack.url, env: {} };
      await mkdir(place.folder);
      const network = await caller.data<{ id: string }>("post", "/api/v1/networks", { name });
      const lan = { network_id: network.id, cidr: "10.0.0.0/24", name: "LAN", subnet_type: "Lan" };
      const subnet = await caller.data<{ id: string }>("post", "/api/v1/subnets", lan);
      Object.assign(place.env, {
        NTS_URL: stack.url,
        NTS_API_KEY: secret,
        NTS_NETWORK: network.id,
        NTS_SUBNET: subnet.id,
        NTS_FILE: file,
      });
      const lacking = await lacks();
      const result = lacking === null ? await outcomeOf(() => work(place)) : `SKIPPED: ${lacking}`;
      console.log(`${name}: ${result}`);
      results.push({
        generator: name,
        result: result.split("\n")[0] ?? "",
        seconds: Math.round((Date.now() - startedAt) / 1_000),
      });
    }
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
  console.table(results);
  return results.every(({ result }) => result === "works" || result.startsWith("SKIPPED"));
}

async function outcomeOf(work: () => Promise<void>): Promise<string> {
  try {
    await work();
    return "works";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
