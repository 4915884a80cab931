import { execFile } from "node:child_process";
import type { Server, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createDispatchTransport } from "./dispatch-transport.js";
import { ask, type Replica, startReplica } from "./testing/replica.js";
import type { Transport } from "./transport.js";

const GONE_REPLICAS = fileURLToPath(new URL("testing/gone-replicas.js", import.meta.url));
const LONGEST_MS = 60_000;

const transports: Transport[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.close()));
  for (const server of servers.splice(0)) server.closeAllConnections();
});

function aTransport(): Transport {
  const transport = createDispatchTransport();
  transports.push(transport);
  return transport;
}

async function aReplica(respond?: (response: ServerResponse) => void): Promise<Replica> {
  const replica = await startReplica(respond);
  servers.push(replica.server);
  return replica;
}

async function until(condition: () => boolean): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, 50));
  while (!condition());
}

describe("the connections to replicas", () => {
  it("leave nothing behind for replicas that have gone, were it after their last response or at the first attempt", async () => {
    // Which ends when nothing is left.
    const ended = promisify(execFile)(process.execPath, [GONE_REPLICAS], { timeout: LONGEST_MS });
    await expect(ended).resolves.toMatchObject({ stdout: "" });
  });

  it("are not closed under a request when another one to the same replica ends", async () => {
    const transport = aTransport();
    const pending: ServerResponse[] = [];
    const replica = await aReplica((response) => pending.push(response));
    const first = ask(transport, replica);
    const second = ask(transport, replica);
    await until(() => pending.length === 2);
    pending[0]!.socket!.destroy();
    await Promise.race([first, second]).catch(() => undefined);
    for (const response of pending) response.end("whole");
    const settled = await Promise.allSettled([first, second]);
    expect(settled.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    replica.server.close();
  });
});
