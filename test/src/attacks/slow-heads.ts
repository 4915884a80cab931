import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../support/attacks/attack.js";
import { closeAll, statusesOf, tally } from "../support/attacks/parts.js";

const ROUNDS = 6;

export const attack: Attack = {
  name: "2,000 connections that send a header field a second",
  run: async (target) => {
    const sockets = await (await target.newTenant()).connect(2_000);
    for (const socket of sockets) socket.write("GET /api/v1/networks HTTP/1.1\r\n");
    for (let n = 0; n < ROUNDS; n++) {
      await sleep(1_000);
      for (const socket of sockets) socket.write(`X-Slow-${n}: ${"x".repeat(100)}\r\n`);
    }
    const got = tally(statusesOf(sockets));
    closeAll(sockets);
    return got;
  },
};
