import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../support/attacks/attack.js";
import { closeAll, headOf, statusesOf, tally } from "../support/attacks/parts.js";

const HELD_MS = 4_000;

export const attack: Attack = {
  name: "300 creates of a host that send one byte of their body each",
  run: async (target) => {
    const tenant = await target.newTenant();
    const sockets = await tenant.connect(300);
    const fields = ["Content-Length: 100", "Content-Type: application/json", tenant.keyLine];
    for (const socket of sockets) socket.write(`${headOf("POST /api/v1/hosts", ...fields)}{`);
    await sleep(HELD_MS);
    const got = tally(statusesOf(sockets));
    closeAll(sockets);
    return got;
  },
};
