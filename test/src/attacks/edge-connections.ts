import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../support/attacks/attack.js";
import { closeAll, expectThat, headOf, statusesOf, tally } from "../support/attacks/parts.js";
import { newAddress } from "../support/attacks/target.js";
import { startEdge } from "../support/edge.js";
import { openRawSocket, type RawSocket } from "../support/raw-socket.js";

const CONNECTIONS = 8_100;
/** More than the edge leaves to an address. */
const TOO_MANY = 1_000;
const AT_A_TIME = 100;
const HELD_MS = 2_000;
const HEALTH = headOf("GET /api/health");

/** The edge holds 8,000 connections. Requires `haproxy`. */
export const attack: Attack = {
  name: `${CONNECTIONS} idle keep-alive connections from one address to the edge, while somebody else connects`,
  settings: { TRUST_PROXY_HOPS: "1" },
  run: async ({ stack }) => {
    const edge = await startEdge(
      stack.dataDir,
      stack.gateways.map(({ url }) => url),
    );
    const sockets: RawSocket[] = [];
    try {
      const from = newAddress();
      while (sockets.length < CONNECTIONS) {
        const opening = Array.from({ length: AT_A_TIME }, () => openRawSocket(edge.url, { from }));
        const opened = (await Promise.allSettled(opening)).flatMap((one) =>
          one.status === "fulfilled" ? [one.value] : [],
        );
        for (const socket of opened) socket.write(HEALTH);
        sockets.push(...opened);
        if (opened.length < AT_A_TIME) break;
      }
      await sleep(HELD_MS);
      const open = sockets.filter((socket) => socket.isOpen());
      const neighbour = await openRawSocket(edge.url, { from: newAddress() });
      sockets.push(neighbour);
      neighbour.write(HEALTH);
      const isServed = await neighbour.receives(/^HTTP\/1\.1 200/).then(
        () => true,
        () => false,
      );
      // On a slow machine the first ones end before the last are open, so that somebody else is served in any case.
      expectThat(open.length < TOO_MANY, `one address holds ${open.length} connections`);
      expectThat(isServed, `somebody else is not served; one address has ${open.length} connections`);
      return `${open.length} connections open; ${tally(statusesOf(sockets))}`;
    } finally {
      closeAll(sockets);
      await edge.stop();
    }
  },
};
