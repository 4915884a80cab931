import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "@jest/globals";
import { listHosts } from "../contract/index.js";
import { AppError } from "../errors.js";
import { createLog } from "../log.js";
import { createShares } from "../scheduling/shares.js";
import { passOn } from "../tracing/tracing.js";
import { createRouter, mount } from "./mount.js";
import { createTenancySigner, createTenancyVerifier } from "./tenancy.js";

const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const SECRETS = ["the-secret-of-the-tests-of-mount"];

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
    const scope = { organizationId: ID, networks: "all" } as const;
    const user = { kind: "key", credentialId: ID, userId: ID, permission: "Owner", scope } as const;
    const { port } = server.address() as AddressInfo;
    const headers = { "x-tenancy": createTenancySigner(SECRETS, "topology")(user) };
    const listed = await fetch(`http://127.0.0.1:${port}${listHosts.path}?limit=0`, { headers });
    server.close().closeAllConnections();
    expect([listed.status, queryCount]).toEqual([503, 0]);
  });
});
