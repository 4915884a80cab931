import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../support/attacks/attack.js";
import { closeAll, headOf, statusesOf, tally } from "../support/attacks/parts.js";

const LENGTH = 1_048_576;
const HELD_MS = 4_000;
/** Encoded once: the attacker uses the processors of the attacked. */
const PIECE = Buffer.alloc(LENGTH - 1, "x");

export const attack: Attack = {
  name: "400 creates of 1 MiB, by two organizations, whose last byte never comes",
  run: async (target) => {
    const tenants = [await target.newTenant(), await target.newTenant()];
    const uploads = await Promise.all(
      tenants.map(async (tenant) => {
        const sockets = await tenant.connect(200);
        const fields = [`Content-Length: ${LENGTH}`, "Content-Type: application/json", tenant.keyLine];
        for (const socket of sockets) {
          socket.write(headOf("POST /api/v1/hosts", ...fields));
          socket.write(PIECE);
        }
        return sockets;
      }),
    );
    await sleep(HELD_MS);
    const got = tally(statusesOf(uploads.flat()));
    closeAll(uploads.flat());
    return got;
  },
};
