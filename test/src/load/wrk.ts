import { execa } from "execa";

/** The results of a load generator. */
export interface Seen {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Responses that were not a success, and connections that failed. */
  readonly failed: number;
}

export interface WrkOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** The processor it is bound to. */
  readonly cpu: number;
}

/**
 * Runs wrk, which takes a tenth of the processor time of a load generator in JavaScript. @throws Error when it is not
 * installed
 */
export async function wrk({ url, headers, connections, seconds, cpu }: WrkOptions): Promise<Seen> {
  const { stdout } = await execa("taskset", [
    ...["-c", `${cpu}`, "wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "--latency"],
    ...[...headerArguments(headers), url],
  ]);
  const number = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1] ?? 0);
  const latencyMs = (share: string): number => {
    const [, value = "0", unit = "ms"] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(stdout) ?? [];
    return Number(value) * ({ us: 0.001, ms: 1, s: 1_000 }[unit] ?? 1);
  };
  const socketFaults = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(stdout) ?? [];
  return {
    requests: number(/(\d+) requests in/),
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50Ms: latencyMs("50"),
    p99Ms: latencyMs("99"),
    failed: [number(/Non-2xx or 3xx responses: (\d+)/), ...socketFaults.slice(1).map(Number)].reduce(
      (a, b) => a + b,
      0,
    ),
  };
}

/** Headers as arguments of wrk and h2load. */
export function headerArguments(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
}
