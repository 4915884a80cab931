/** What a victim waits for after a change: an event of its stream, or a message of its webhook. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds after which a change that is not received counts as lost. */
const ARRIVAL_MS = 10_000;

export interface Arrivals {
  /** Resolves when a text that contains a name has been seen. @throws Error when it is not in time */
  of(name: string): Promise<void>;
  readonly see: (text: string) => void;
}

export function createArrivals(): Arrivals {
  const waiting = new Map<string, () => void>();
  return {
    of: async (name) => {
      const arrived = new Promise<"arrived">((resolve) => {
        waiting.set(name, () => {
          resolve("arrived");
        });
      });
      const outcome = await Promise.race([arrived, sleep(ARRIVAL_MS, "late", { ref: false })]);
      waiting.delete(name);
      if (outcome === "late") throw new Error(`not received: no response within ${ARRIVAL_MS / 1_000} s`);
    },
    see: (text) => {
      for (const [name, arrived] of waiting) if (text.includes(name)) arrived();
    },
  };
}

/** Starts a receiver of webhooks. @returns its URL */
export async function receive(onBody: (text: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      onBody(text);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
