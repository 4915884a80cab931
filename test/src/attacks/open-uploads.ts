import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../support/attacks/attack.js";
import { createNetwork, closeAll, expectThat, headOf, statusesOf, tally } from "../support/attacks/parts.js";
import { hostWith, scanWith, sendScan } from "../support/attacks/scans.js";

const LENGTH = 10_000_000;
/** Until all four uploads occupy their slots. */
const ARRIVED_MS = 1_000;
const BEGINNING = "<?xml version='1.0'?>\n";

export const attack: Attack = {
  name: "two organizations that hold four uploads open while a third one imports",
  run: async (target) => {
    const holders = [await target.newTenant(), await target.newTenant()];
    const third = await target.newTenant();
    const { networkId } = await createNetwork(third);
    const uploads = await Promise.all(
      holders.map(async (tenant) => {
        const own = await createNetwork(tenant);
        const sockets = await tenant.connect(2);
        const fields = [`Content-Length: ${LENGTH}`, "Content-Type: application/xml", tenant.keyLine];
        const line = `POST /api/v1/imports/nmap?network_id=${own.networkId}`;
        for (const socket of sockets) socket.write(headOf(line, ...fields) + BEGINNING);
        return sockets;
      }),
    );
    await sleep(ARRIVED_MS);
    const scan = scanWith(hostWith('<address addr="10.1.2.3" addrtype="ipv4"/>'));
    const { status, code } = await sendScan(third, networkId, scan);
    const got = tally(statusesOf(uploads.flat()));
    closeAll(uploads.flat());
    expectThat(status === 200, `the third organization's import got ${status} ${code}`);
    return got;
  },
};
