import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "@jest/globals";
import { importNmap, listHosts } from "../contract/index.js";
import { AppError } from "../errors.js";
import { createLog } from "../log.js";
import { createShares } from "../scheduling/shares.js";
import { passOn } from "../tracing/tracing.js";
import { createRouter, mount } from "./mount.js";
import { createTenancySigner, createTenancyVerifier } from "./tenancy.js";

const LARGE_BYTES = 4_000_000;
const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const SECRETS = ["the-secret-of-the-tests-of-mount"];

const CALLER = {
  ...({ kind: "key", credentialId: ID, userId: ID, permission: "Owner" } as const),
  scope: { organizationId: ID, networks: "all" } as const,
};
const TENANCY = createTenancySigner(SECRETS, "topology")(CALLER);

describe("an upload of which the handler reads only a part", () => {
  it("does not hold up the next request of its connection", async () => {
    const router = createRouter({
      ...{ verifyTenancy: createTenancyVerifier({ users: SECRETS, processes: SECRETS }, "topology") },
      ...{ log: createLog("test", "silent"), tracing: passOn, shares: createShares(), deadlineMs: 1_000 },
      mapFault: () => null,
    });
    mount(router, importNmap, async ({ body }) => {
      for await (const piece of body) throw new AppError("payload_too_large", { limit_bytes: piece.length });
      throw new Error("nothing was sent");
    });
    const server = createServer((request, response) => {
      router.handle(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const head = `POST ${importNmap.path}?network_id=${ID} HTTP/1.1\r\nHost: topology\r\nX-Tenancy: ${TENANCY}\r\n`;
    const upload = `${head}Content-Type: application/xml\r\nContent-Length: ${LARGE_BYTES}\r\n\r\n`;
    for (let n = 0; n < 2; n++) socket.write(upload + "x".repeat(LARGE_BYTES));
    let text = "";
    const statuses = (): string[] => text.match(/HTTP\/1\.1 \d+/g) ?? [];
    for await (const piece of socket) {
      text += String(piece);
      if (statuses().length === 2) break;
    }
    socket.destroy();
    server.close().closeAllConnections();
    expect(statuses()).toEqual(["HTTP/1.1 413", "HTTP/1.1 413"]);
  });
});

describe("an unpaginated list", () => {
  it("makes no further queries when the hidden entities cannot be read, and returns 503", async () => {
    let queryCount = 0;
    const router = createRouter({
      ...{ verifyTenancy: createTenancyVerifier({ users: SECRETS, processes: SECRETS }, "topology") },
      ...{ log: createLog("test", "silent"), tracing: passOn, shares: createShares(), deadlineMs: 1_000 },
      mapFault: () => new AppError("unavailable"),
      visible: () => Promise.reject(new Error("unavailable")),
      beforeList: () => {
        queryCount += 1;
        return Promise.reject(new Error("unavailable"));
      },
    });
    mount(router, listHosts, () => Promise.reject(new Error("unavailable")));
    const server = createServer((request, response) => {
      router.handle(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const headers = { "x-tenancy": TENANCY };
    const listed = await fetch(`http://127.0.0.1:${port}${listHosts.path}?limit=0`, { headers });
    server.close().closeAllConnections();
    expect([listed.status, queryCount]).toEqual([503, 0]);
  });
});
