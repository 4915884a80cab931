import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../support/attacks/attack.js";
import { closeAll, headOf } from "../support/attacks/parts.js";

const HELD_MS = 3_000;

export const attack: Attack = {
  name: "50 connections that ask for /openapi.json 50 times each and read nothing",
  run: async (target) => {
    const sockets = await (await target.newTenant()).connect(50, { reads: false });
    for (const socket of sockets) socket.write(headOf("GET /openapi.json").repeat(50));
    await sleep(HELD_MS);
    closeAll(sockets);
    return "nothing that it read";
  },
};
