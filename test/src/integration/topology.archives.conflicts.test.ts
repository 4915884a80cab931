/** Archives of an inventory that has changed since: what contradicts it is restored as a whole, or reported and left alone. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type ArchiveImport,
  createNetwork,
  createSubnet,
  getHost,
  getSubnet,
  listHosts,
  listInterfaces,
} from "@nts/shared/contract";
import { archiveOf, archiveText, type EntityLine, sendArchive } from "../support/archives.js";
import { violationsIn } from "../support/invariants.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, onPort } from "../support/topology-world.js";

let topology: Topology;

beforeAll(async () => {
  topology = await startTopology();
});
afterEach(async () => {
  expect(await violationsIn(topology.db)).toEqual([]);
});
afterAll(() => topology.stop());

/** The result of importing an archive, of which parts may fail. */
async function importOf(caller: Caller, text: string, query = ""): Promise<ArchiveImport> {
  const response = await sendArchive(caller, text, query);
  expect(response.status).toBe(200);
  return response.data as ArchiveImport;
}

describe("the network of an entity", () => {
  /** A host with all kinds of children, and a second network. */
  async function twoNetworks() {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    const host = await aHost(world, { interfaces: 1, ports: 1 });
    await aService(world, host, { bindings: [onPort(host.ports[0], host.interfaces[0])] });
    const other = await owner.call(createNetwork, { body: { name: "Other" } });
    const block = { network_id: other.id, cidr: "10.0.0.0/16", name: "LAN of the other" };
    const otherSubnet = await owner.call(createSubnet, { body: block });
    const { entities } = await archiveOf(owner);
    return { ...world, host, other, otherSubnet, entities };
  }

  const edited = (entities: readonly EntityLine[], edit: (line: EntityLine) => object): string =>
    archiveText(entities.map((line) => ({ ...line, data: { ...line.data, ...edit(line) } })));

  it("is never changed by an archive: a host with another one fails, and nothing of it is written", async () => {
    const { owner, host, network, other, otherSubnet, entities } = await twoNetworks();
    const isOnHost = ({ entity }: EntityLine): boolean => ["Host", "Interface", "Port", "Service"].includes(entity);
    const text = edited(entities, (line) =>
      isOnHost(line)
        ? { network_id: other.id, ...(line.entity === "Interface" && { subnet_id: otherSubnet.id }), name: "moved" }
        : {},
    );
    for (const query of ["?dry_run=true", ""]) {
      const { failed, summary } = await importOf(owner, text, query);
      expect(failed).toMatchObject([{ entity: "Host", id: host.id, code: "network_mismatch", taken: null }]);
      expect(summary.Host).toEqual({ create: 0, update: 0, unchanged: 0, failed: 1 });
      expect(summary.Service).toMatchObject({ update: 0, failed: 1 });
    }
    expect(await owner.call(getHost, { params: host })).toMatchObject({ name: "nas", network_id: network.id });
    for (const [{ id: network_id }, count] of [[network, 1], [other, 0]] as const)
      for (const list of [listHosts, listInterfaces])
        expect(await owner.list(list, { query: { network_id } })).toMatchObject({ total: count, rows: { length: count } });
  }); // prettier-ignore

  it("is never changed by an archive: a subnet with another one fails, and others of the file are restored", async () => {
    const { owner, subnet, other, otherSubnet, network, entities } = await twoNetworks();
    const only = entities.filter(({ entity }) => entity === "Network" || entity === "Subnet");
    const text = edited(only, ({ data: { id } }) => {
      if (id === subnet.id) return { network_id: other.id, name: "moved" };
      return id === otherSubnet.id ? { name: "renamed" } : {};
    });
    for (const query of ["?dry_run=true", ""]) {
      const { failed, summary } = await importOf(owner, text, query);
      expect(failed).toMatchObject([{ entity: "Subnet", id: subnet.id, code: "network_mismatch" }]);
      expect(summary.Subnet).toEqual({ create: 0, update: 1, unchanged: 0, failed: 1 });
    }
    expect(await owner.call(getSubnet, { params: subnet })).toMatchObject({ name: "LAN", network_id: network.id });
    expect(await owner.call(getSubnet, { params: otherSubnet })).toMatchObject({ name: "renamed" });
  });
});
