/**
 * A process that asks replicas which go, some of them once more, and ends when nothing is left of the connections to them.
 * On its own, because each count walks through the whole memory of a process.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { Pool } from "undici";
import { createDispatchTransport } from "../dispatch-transport.js";
import { ask, startReplica } from "./replica.js";

const REPLICAS = 5;
const COUNT_EVERY_MS = 100;

const transport = createDispatchTransport();
const before = queryObjects(Pool);
for (let n = 0; n < REPLICAS; n++) {
  const replica = await startReplica();
  if ((await ask(transport, replica)) !== "whole") throw new Error("a response is not whole");
  replica.server.close().closeAllConnections();
  if (n % 2 === 0)
    await ask(transport, replica).then(
      () => Promise.reject(new Error("a replica that has gone responds")),
      () => undefined,
    );
}
while (queryObjects(Pool) !== before) await sleep(COUNT_EVERY_MS);
await transport.close();
