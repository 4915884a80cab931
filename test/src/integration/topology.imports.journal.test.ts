/** Journal entries of imports that merge two hosts, and reverting them. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { HISTORIES, listChanges } from "@nts/shared/contract";
import { anEmptyNetwork, hostsOf, importFile } from "../support/imports.js";
import { violationsIn } from "../support/invariants.js";
import { waitForJournal, currentState } from "../support/moments.js";
import { withRequestId, expectReplayEqualsLists, revert, withoutTimes } from "../support/reverts.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true });
  // What exists before the journal starts is recorded as reconciled.
  await waitForJournal(topology.aCaller());
});
afterAll(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
  await topology.stop();
});

/** Without the tags that mark the position of the journal. */
async function inventory(owner: Caller): Promise<[string, string][]> {
  return withoutTimes(await currentState(owner)).filter(([, text]) => !text.includes('"name":"mark '));
}

describe("an import that merges two hosts", () => {
  const SOCKETS = `tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=702,fd=3))\n`;
  const NEIGHBOURS = `[{"dst":"192.168.1.20","dev":"eth0","lladdr":"00:11:32:aa:bb:cc","state":["STALE"]}]`;
  const LEASE = "4102444800 00:11:32:aa:bb:cc 192.168.1.20 nas *\n";

  it("is recorded entity by entity under its request; after a revert both exist again, and the next import keeps them", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    await importFile(owner, "ss", { network_id, hostname: "nas" }, SOCKETS);
    await importFile(owner, "ip-neigh", { network_id }, NEIGHBOURS);
    const [bare, named] = await hostsOf(owner, network_id);
    const before = await inventory(owner);
    const request = await withRequestId(async (headers) => {
      const { hosts } = await importFile(owner, "dhcp-leases", { network_id }, LEASE, headers);
      expect(hosts).toMatchObject([{ id: named!.id, joined: { id: bare!.id } }]);
    });
    await waitForJournal(owner);
    const changes = await owner.call(listChanges, { query: { request_id: request } });
    const nameOf = (id: string | null): string => (id === bare!.id ? "bare" : id === named!.id ? "named" : "?");
    expect(changes.map(({ action, entity, host_id }) => `${action} ${entity} of ${nameOf(host_id)}`).sort()).toEqual([
      "created Interface of named",
      "deleted Host of bare",
      "deleted Interface of bare",
    ]);
    expect(changes.every(({ actor }) => actor?.user_id !== undefined)).toBe(true);
    const historyOf = async (params: { id: string }) =>
      (await owner.call(HISTORIES.Host, { params, query: {} })).map(({ action, entity }) => `${action} ${entity}`);
    const life = ["created Host", "created Interface"];
    expect((await historyOf(bare!)).sort()).toEqual([...life, "deleted Host", "deleted Interface"]);
    await expectReplayEqualsLists(owner);

    expect((await revert(owner, request)).data).toMatchObject({ restored: 2, removed: 1 });
    expect(await inventory(owner)).toEqual(before);
    await waitForJournal(owner);
    expect((await historyOf(bare!)).sort()).toEqual([...life, ...life, "deleted Host", "deleted Interface"].sort());
    await expectReplayEqualsLists(owner);
    const { hosts } = await importFile(owner, "dhcp-leases", { network_id }, LEASE);
    expect(hosts).toMatchObject([{ id: bare!.id, joined: null }]);
    expect(await hostsOf(owner, network_id)).toHaveLength(2);
  });
});
