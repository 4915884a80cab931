import type { Attack } from "../support/attacks/attack.js";
import { closedWithin, expectThat, headOf, statusesOf, tally } from "../support/attacks/parts.js";

const JSON_TYPE = "Content-Type: application/json";
const CHUNKED = "Transfer-Encoding: chunked";
const NO_CHUNK = "zz\r\n{}\r\n";
const ALL_CLOSED_MS = 20_000;

/** Beyond the time after which a service aborts a body that the gateway has already aborted. */
export const attack: Attack = {
  name: "requests that never end and chunks that are none, on operations of both services",
  run: async (target) => {
    const tenant = await target.newTenant();
    const slow = (line: string, ...fields: string[]): string => `${headOf(line, "Content-Length: 100", ...fields)}{`;
    const broken = (line: string, ...fields: string[]): string => headOf(line, CHUNKED, ...fields) + NO_CHUNK;
    const requests = [
      slow("POST /api/auth/login", JSON_TYPE),
      slow("POST /api/auth/register", JSON_TYPE),
      slow("POST /api/auth/logout"),
      slow("POST /api/v1/invites", JSON_TYPE, tenant.keyLine),
      slow("POST /api/v1/hosts", JSON_TYPE, tenant.keyLine),
      slow("GET /api/v1/networks", tenant.keyLine),
      broken("POST /api/auth/login", JSON_TYPE),
      broken("POST /api/auth/register", JSON_TYPE),
      broken("POST /api/auth/logout"),
      broken("POST /api/v1/invites", JSON_TYPE, tenant.keyLine),
      broken("POST /api/v1/hosts", JSON_TYPE, tenant.keyLine),
      broken("GET /api/v1/networks", tenant.keyLine),
      broken("DELETE /api/v1/networks/00000000-0000-4000-8000-000000000001", tenant.keyLine),
      broken("GET /api/v1/auth/whoami", tenant.keyLine),
    ];
    const sockets = await tenant.connect(requests.length);
    sockets.forEach((socket, n) => {
      socket.write(requests[n]!);
    });
    await closedWithin(sockets, ALL_CLOSED_MS);
    expectThat(!sockets.some((socket) => socket.isOpen()), "a connection whose request never ended is still open");
    return tally(statusesOf(sockets));
  },
};
