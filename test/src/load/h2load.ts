import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { valueAt } from "./shares.js";
import { headerArguments, type Seen, type WrkOptions } from "./wrk.js";

export interface SteadyOptions extends WrkOptions {
  /** Requests a second over all connections, sent whether or not earlier ones have responses. */
  readonly perSecond: number;
}

/**
 * Runs h2load (Debian's nghttp2-client) at a steady rate, evenly over each period, where other generators send a
 * second's worth at once. @throws Error when it is not installed
 */
export async function steadily(options: SteadyOptions): Promise<Seen> {
  const { url, headers, connections, seconds, cpu, perSecond } = options;
  const perConnection = perSecond / connections;
  const folder = await mkdtemp(join(tmpdir(), "nts-h2load-"));
  const file = join(folder, "requests");
  try {
    await execa("taskset", [
      ...["-c", `${cpu}`, "h2load", "--h1", `-n${Math.round(perSecond * seconds)}`, `-c${connections}`],
      ...[`--rps=${perConnection}`, `--log-file=${file}`],
      // Connections start spread over the period after which the first one sends again.
      ...[`--rate=${Math.ceil(perSecond / 1_000)}`, "--rate-period=1ms"],
      ...[...headerArguments(headers), url],
    ]);
    const lines = (await readFile(file, "utf8")).trim().split("\n");
    return seenIn(
      lines.map((line) => line.split("\t").map(Number)),
      seconds,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Rows of start in microseconds, status, and microseconds to the end of the response. */
function seenIn(rows: readonly (readonly number[])[], seconds: number): Seen {
  const took = rows.map(([, , micros = 0]) => micros / 1_000).sort((a, b) => a - b);
  return {
    requests: rows.length,
    perSecond: rows.length / seconds,
    p50Ms: valueAt(0.5, took),
    p99Ms: valueAt(0.99, took),
    failed: rows.filter(([, status]) => status !== 200).length,
  };
}
