import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../support/attacks/attack.js";
import { closeAll, headOf, statusesOf, tally } from "../support/attacks/parts.js";

const HELD_MS = 4_000;

export const attack: Attack = {
  name: "300 anonymous logins that send one byte of their body each",
  run: async (target) => {
    const sockets = await (await target.newTenant()).connect(300);
    const head = headOf("POST /api/auth/login", "Content-Length: 100", "Content-Type: application/json");
    for (const socket of sockets) socket.write(`${head}{`);
    await sleep(HELD_MS);
    // Another user who signs in meanwhile, from another address.
    const { status, tookMs } = await (await target.newTenant()).send("GET", "/api/v1/auth/whoami");
    if (status !== 200 || tookMs > HELD_MS)
      throw new Error(`another client got ${status} after ${tookMs.toFixed(0)} ms`);
    const got = tally(statusesOf(sockets));
    closeAll(sockets);
    return got;
  },
};
