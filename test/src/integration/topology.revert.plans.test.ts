/** Plans of reverts: the overall effect, whatever the reverted request did. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createPort,
  createTag,
  deletePort,
  deleteTag,
  patchHost,
  patchService,
  revertChanges,
} from "@nts/shared/contract";
import { waitForJournal } from "../support/moments.js";
import { withRequestId } from "../support/reverts.js";
import { startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, onPort } from "../support/topology-world.js";

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true });
  // What exists before the journal starts is recorded as reconciled.
  await waitForJournal(topology.aCaller());
});
afterAll(() => topology.stop());

interface Headers {
  readonly headers: { readonly "x-request-id": string };
}

describe("the plan of a revert", () => {
  it("names its overall effect: to create, update or delete something, or nothing", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const host = await aHost(world, { ports: 2, services: 0 });
    const [first, second] = host.ports as [(typeof host.ports)[0], (typeof host.ports)[0]];
    const service = await aService(world, host, { bindings: [onPort(first)] });
    const effectOf = async (act: (headers: Headers) => Promise<unknown>): Promise<unknown> => {
      const request_id = await withRequestId((headers) => act({ headers }));
      await waitForJournal(owner);
      const { meta, text } = await owner.send(revertChanges, { body: { request_id }, query: { dry_run: true } });
      return meta.plan?.action ?? text;
    };
    const port = { host_id: host.id, network_id: host.network_id, number: 9, protocol: "Tcp" } as const;
    const bind = (headers: Headers, ...ports: { id: string }[]) =>
      owner.call(patchService, { params: service, body: { bindings: ports.map((one) => onPort(one)) }, ...headers });

    expect(
      await effectOf((headers) => owner.call(patchHost, { params: host, body: { name: "one" }, ...headers })),
    ).toBe("update");
    expect(await effectOf((headers) => bind(headers))).toBe("update");
    expect(await effectOf((headers) => bind(headers, first))).toBe("update");
    expect(await effectOf((headers) => owner.call(createPort, { body: port, ...headers }))).toBe("delete");
    // Restores the port, and with it the binding of the service.
    expect(await effectOf((headers) => owner.call(deletePort, { params: first, ...headers }))).toBe("create");
    const both = async (headers: Headers): Promise<void> => {
      await owner.call(deletePort, { params: second, ...headers });
      await owner.call(createTag, { body: { name: "instead" }, ...headers });
    };
    expect(await effectOf(both)).toBe("update");
    const nothing = async (headers: Headers): Promise<void> => {
      const tag = await owner.call(createTag, { body: { name: "brief" }, ...headers });
      await owner.call(deleteTag, { params: tag, ...headers });
    };
    expect(await effectOf(nothing)).toBe("none");
  });
});
