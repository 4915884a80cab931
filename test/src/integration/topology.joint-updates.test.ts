/** Updates of bindings that share a transaction with others of their organization. */
import { afterEach, describe, expect, it } from "@jest/globals";
import { getHost, getService, type Host, listChanges, updateService } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { violationsIn } from "../support/invariants.js";
import { startTopology, type Topology, type TopologyOptions } from "../support/topology.js";
import { aHost, aNetwork, echoOf, onPort, type World } from "../support/topology-world.js";

const HOSTS = 12;

let topology: Topology;
afterEach(() => topology.stop());

interface Started {
  readonly world: World;
  readonly hosts: readonly Host[];
  /** Sent commands by name. */
  readonly commands: string[];
}

async function start(options: TopologyOptions = {}): Promise<Started> {
  const commands: string[] = [];
  topology = await startTopology({ ...options, onCommand: ({ commandName }) => void commands.push(commandName) });
  const world = await aNetwork(topology.aCaller());
  const made = Array.from({ length: HOSTS }, (_, n) => aHost(world, { name: `host ${n}`, ports: 1, services: 1 }));
  const hosts = await Promise.all(made);
  commands.length = 0;
  return { world, hosts, commands };
}

/** Binds the service of a host to a port, by default its own. */
function bind({ owner }: Pick<World, "owner">, host: Host, { port = host.ports[0], headers = {} } = {}) {
  const service = host.services[0]!;
  return owner.send(updateService, {
    params: service,
    body: { ...echoOf(service), bindings: [onPort(port)] },
    headers,
  });
}

const commitsIn = (commands: readonly string[]): number =>
  commands.filter((name) => name === "commitTransaction").length;

describe("updates of bindings that arrive together", () => {
  it("share transactions, and change their services, bindings and hosts as each would alone", async () => {
    const { world, hosts, commands } = await start();
    const updated = await Promise.all(hosts.map((host) => bind(world, host)));
    expect(updated.map(({ status, etag }) => [status, etag])).toEqual(hosts.map(() => [200, '"2"']));
    expect(updated.map(({ data }) => data.bindings.map((one) => one.type === "Port" && one.port_id))).toEqual(
      hosts.map(({ ports: [port] }) => [port?.id]),
    );
    expect(commitsIn(commands)).toBeLessThan(HOSTS / 2);
    for (const [n, host] of hosts.entries()) {
      const read = await world.owner.send(getHost, { params: host });
      expect(read.data.services).toEqual([updated[n]!.data]);
      expect(read.etag).toBe('"2-2"');
    }
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("are recorded as changes of their own requests", async () => {
    const { world, hosts } = await start({ journal: true });
    const comments = hosts.map((_, n) => `update ${n}`);
    await Promise.all(hosts.map((host, n) => bind(world, host, { headers: { "change-comment": comments[n]! } })));
    let changes: readonly { readonly action: string; readonly comment: string | null }[] = [];
    while (changes.length < HOSTS)
      changes = (await world.owner.call(listChanges, { query: { limit: 1_000 } })).filter(
        ({ action }) => action === "updated",
      );
    expect(changes.map(({ comment }) => comment).sort()).toEqual([...comments].sort());
  });
});

describe("updates of bindings that could not be written with others", () => {
  it("are refused for themselves, without effect on the others", async () => {
    const { world, hosts } = await start();
    const ofAnother = hosts[1]!.ports[0]!;
    const responses = await Promise.all(
      hosts.map((host, n) =>
        bind(world, host, n === 0 ? { port: ofAnother } : n === 5 ? { headers: { "if-match": '"7"' } } : {}),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(hosts.map((_, n) => (n === 0 ? 400 : n === 5 ? 412 : 200)));
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("stay within the networks of their callers", async () => {
    const { world, hosts } = await start();
    const other = await aNetwork(world.owner, "Other");
    const elsewhere = await aHost(other, { ports: 1, services: 1 });
    const { organizationId } = world.owner.scope;
    const limited = topology.aCaller({ organizationId, networks: [other.network.id] });
    const responses = await Promise.all([
      ...hosts.map((host) => bind(world, host)),
      ...hosts.map((host) => bind({ owner: limited }, host)),
      bind({ owner: limited }, elsewhere),
    ]);
    const statuses = responses.map(({ status }) => status);
    expect(statuses).toEqual([...hosts.map(() => 200), ...hosts.map(() => 404), 200]);
  });

  it("of one service are applied one after the other", async () => {
    const {
      world,
      hosts: [host],
    } = await start();
    const service = host!.services[0]!;
    const bodies = [[onPort(host!.ports[0])], [], [onPort(host!.ports[0])], []];
    const updated = await Promise.all(
      bodies.map((bindings) =>
        world.owner.send(updateService, { params: service, body: { ...echoOf(service), bindings } }),
      ),
    );
    expect(updated.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const last = await world.owner.send(getService, { params: service });
    expect(updated.map(({ etag }) => etag)).toContain(last.etag);
    expect(await violationsIn(topology.db)).toEqual([]);
  });

  it("are not written a second time if the outcome of their commit is unknown", async () => {
    const { world, hosts } = await start({
      storage: (storage) => ({
        ...storage,
        transaction: async (work, keys, body) => {
          const result = await storage.transaction(work, keys, body);
          if (Array.isArray(keys) && keys.length > 1) throw new AppError("write_conflict");
          return result;
        },
      }),
    });
    const responses = await Promise.all(hosts.map((host) => bind(world, host)));
    expect(responses.filter(({ status }) => status === 409).length).toBeGreaterThan(HOSTS / 2);
    for (const {
      services: [service],
    } of hosts)
      expect((await world.owner.send(getService, { params: service! })).etag).toBe('"2"');
  });
});
