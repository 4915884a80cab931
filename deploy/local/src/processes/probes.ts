import { get } from "node:http";
import { connect } from "node:net";

const PROBE_TIMEOUT_MS = 2_000;

/** Whether a URL of plain HTTP responds with 200 now. It is polled, and `fetch` costs several times as much. */
export async function respondsOk(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: PROBE_TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once("timeout", () => request.destroy());
    request.once("error", () => {
      resolve(false);
    });
  });
}

/** The progress of a migration as `/readyz` reports it, such as "migrating (0011-search, hosts: 500 of 2,000)"; null without one. */
export async function migrationAt(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    const report = (await response.json()) as Record<string, unknown>;
    if (report["status"] !== "migrating") return null;
    const { step, collection, done, total } = report;
    const count = (value: unknown): string => Number(value).toLocaleString("en");
    const where = typeof collection === "string" ? `, ${collection}: ${count(done)} of ${count(total)}` : "";
    return `migrating (${String(step)}${where})`;
  } catch {
    return null;
  }
}

/** A first exchange with a text-based TCP server: what to send, and what the response must contain. */
export interface Greeting {
  readonly host: string;
  readonly port: number;
  readonly send: string;
  readonly expect: string;
}

/** Whether a text-based server responds as expected; with an empty `send` it speaks first. */
export async function greets(greeting: Greeting): Promise<boolean> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect({ host: greeting.host, port: greeting.port });
    const finish = (good: boolean): void => {
      socket.destroy();
      resolve(good);
    };
    socket.setEncoding("utf8");
    socket.setTimeout(PROBE_TIMEOUT_MS, () => {
      finish(false);
    });
    socket.once("connect", () => {
      if (greeting.expect === "") finish(true);
      else if (greeting.send !== "") socket.write(greeting.send);
    });
    socket.on("data", (text: string) => {
      received += text;
      if (received.includes(greeting.expect)) finish(true);
    });
    socket.once("error", () => {
      finish(false);
    });
    socket.once("close", () => {
      finish(false);
    });
  });
}
