/** Folders and ports for `npm start`. */
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLineOf } from "@nts/local/processes/identify";
import { freePorts } from "@nts/local/processes/ports";
import { type RunRecord, stopLeftovers } from "@nts/local/processes/run-records";
import { spawnNpmStart, type NpmStart } from "./npm-start.js";

/** Printed when the system is ready. */
export const READY = "Ctrl-C stops everything";

/** A folder and port where a system can be started repeatedly. */
export interface Place {
  readonly dataDir: string;
  readonly port: number;
  start(args?: string[], env?: Record<string, string>): NpmStart;
  /** The processes on its data folder. */
  runs(): Promise<RunRecord[]>;
  /** Stops everything that was started. */
  clear(): Promise<void>;
}

export async function newPlace(): Promise<Place> {
  const base = process.env["NTS_TEST_DIR"] ?? tmpdir();
  await mkdir(base, { recursive: true });
  const dataDir = await mkdtemp(join(base, "start-"));
  const port = await portBeforeAFreeOne();
  const given: NpmStart[] = [];
  return {
    dataDir,
    port,
    start: (args = [], env = {}) => {
      const one = spawnNpmStart(dataDir, { PORT: String(port), DATA_DIR: dataDir, ...env }, args);
      given.push(one);
      return one;
    },
    runs: async () => {
      const folder = join(dataDir, "run");
      const files = await readdir(folder).catch(() => []);
      return Promise.all(
        files.map(async (file) => JSON.parse(await readFile(join(folder, file), "utf8")) as RunRecord),
      );
    },
    clear: async () => {
      for (const one of given) one.signal("SIGTERM");
      await Promise.all(given.map((one) => one.ended()));
      await stopLeftovers(join(dataDir, "run"));
      for (const folder of ["mongodb", "redis", "nats"])
        await rm(join(dataDir, folder), { recursive: true, force: true });
    },
  };
}

/** A free port whose successor is free too, for a second gateway. */
async function portBeforeAFreeOne(): Promise<number> {
  let [port = 0] = await freePorts(1);
  for (;;) {
    const [next = 0] = await freePorts(1);
    if (next === port + 1) return port;
    port = next;
  }
}

/** The names of those that run. */
export async function alive(records: readonly RunRecord[]): Promise<string[]> {
  const lines = await Promise.all(records.map(async ({ pid, command }) => (await commandLineOf(pid)) === command));
  return records.filter((_, index) => lines[index]).map(({ name }) => name);
}
