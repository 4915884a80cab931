import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../support/attacks/attack.js";
import { closeAll, expectThat } from "../support/attacks/parts.js";

const MOST = 1_000;
const HELD_MS = 2_000;

export const attack: Attack = {
  name: "more idle connections from one address than a gateway holds, while somebody else connects",
  settings: { MAX_CONNECTIONS: String(MOST) },
  run: async (target) => {
    const flooder = await target.newTenant();
    const neighbour = await target.newTenant();
    const sockets = await flooder.connect(MOST + 100);
    await sleep(HELD_MS);
    const open = sockets.filter((socket) => socket.isOpen()).length;
    const fresh = await neighbour.connect(1);
    fresh[0]?.write("GET /api/version HTTP/1.1\r\nHost: a\r\n\r\n");
    const isServed = await fresh[0]!.receives(/^HTTP\/1\.1 200/).then(
      () => true,
      () => false,
    );
    closeAll([...sockets, ...fresh]);
    expectThat(isServed, `somebody else's connection is not served; one address has ${open}`);
    return `${open} of ${sockets.length} connections open`;
  },
};
