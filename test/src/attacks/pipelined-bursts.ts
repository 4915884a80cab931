import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../support/attacks/attack.js";
import { closeAll, headOf, statusesOf, tally } from "../support/attacks/parts.js";

const HELD_MS = 5_000;
const CONNECTIONS = 100;
const REQUESTS = 5_000;

/** What was read of a burst waits in memory. */
export const attack: Attack = {
  name: `${CONNECTIONS} connections with ${REQUESTS} pipelined requests each, half of which read no response`,
  run: async (target) => {
    const attacker = await target.newTenant();
    const reading = await attacker.connect(CONNECTIONS / 2);
    const unreading = await attacker.connect(CONNECTIONS / 2, { reads: false });
    const burst = headOf("GET /api/health").repeat(REQUESTS);
    for (const socket of [...unreading, ...reading]) socket.write(burst);
    await sleep(HELD_MS);
    const statuses = statusesOf(reading);
    closeAll([...reading, ...unreading]);
    return tally(statuses);
  },
};
