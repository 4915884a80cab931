import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type BindingInput,
  bulkDeleteInterfaces,
  bulkDeletePorts,
  bulkDeleteServices,
  createHost,
  createService,
  deleteInterface,
  getHost,
  type Host,
  listBindings,
  listServices,
  updateService,
} from "@nts/shared/contract";
import { MOST_CHANGED } from "@nts/topology/commit/changed-at-once";
import { MOST_BINDINGS_ON_HOST } from "@nts/topology/storage/stores/host-capacity.rules";
import { violationsIn } from "../support/invariants.js";
import { startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, echoOf, type World } from "../support/topology-world.js";

// Removals shift and change other children in one transaction: as much as the limits allow succeeds, more is rejected
// at once.

const MAX_CHILDREN = 1_000;

let topology: Topology;
let world: World;

beforeAll(async () => {
  topology = await startTopology();
  world = await aNetwork(topology.aCaller());
});
afterAll(() => topology.stop());

const numbers = (length: number): number[] => Array.from({ length }, (_, n) => n);

function aFullHost(): Promise<Host> {
  const services = numbers(MAX_CHILDREN).map((n) => ({ name: `s${n}`, service_definition: "nginx" }));
  return world.owner.call(createHost, { body: { network_id: world.network.id, name: "full", services } });
}

/** A host with 40 ports, 25 interfaces, and services up to its maximum number of bindings. */
async function aHostOfBindings(): Promise<Host> {
  const { owner } = world;
  const host = await aHost(world, { name: "bound", ports: 40, interfaces: 25 });
  for (let n = 0; n < MOST_BINDINGS_ON_HOST / MAX_CHILDREN; n++)
    await owner.call(createService, { body: bound(host, 40) });
  return host;
}

/** A service that is bound to a number of ports on each interface. */
function bound({ id, network_id, ports, interfaces }: Host, count: number) {
  const bindings = ports
    .slice(0, count)
    .flatMap((port) =>
      interfaces.map((one): BindingInput => ({ type: "Port", port_id: port.id, interface_id: one.id })),
    );
  return { host_id: id, network_id, name: randomUUID(), service_definition: "nginx", bindings };
}

describe("a bulk-delete on hosts with many children", () => {
  it("closes the gaps of two hosts, and is rejected as a whole when it would shift more than the limit", async () => {
    const { owner } = world;
    const hosts: Host[] = [];
    while (hosts.length <= Math.ceil(MOST_CHANGED / (MAX_CHILDREN - 1))) hosts.push(await aFullHost());
    const firsts = hosts.map(({ services }) => services[0]!.id);
    const refusal = [422, "too_many_changes", { limit: MOST_CHANGED }];
    expect(await owner.refusal(bulkDeleteServices, { body: firsts })).toEqual(refusal);
    for (const host of hosts) expect(await owner.call(getHost, { params: host })).toEqual(host);

    expect((await owner.call(bulkDeleteServices, { body: firsts.slice(0, 2) })).deleted_count).toBe(2);
    const query = { host_id: hosts[1]!.id, order_by: "position" as const, limit: 0 };
    const { rows } = await owner.list(listServices, { query });
    expect(rows.map(({ position }) => position)).toEqual(numbers(MAX_CHILDREN - 1));
    expect(await violationsIn(topology.db)).toEqual([]);
  });
});

describe("a host with the maximum number of bindings", () => {
  it("rejects further bindings, accepts services with few, loses deleted targets, and accepts all that fits", async () => {
    const { owner } = world;
    const host = await aHostOfBindings();
    const full = {
      path: "bindings",
      message: `the services of a host can have at most ${MOST_BINDINGS_ON_HOST} bindings`,
    };
    const refusal = [400, "validation_failed", { errors: [full] }];
    expect(await owner.refusal(createService, { body: bound(host, 1) })).toEqual(refusal);
    const { bindings, ...few } = bound(host, 1);
    const small = await owner.call(createService, { body: { ...few, bindings: bindings.slice(0, 10) } });
    const grown = { ...echoOf(small), bindings };
    expect(await owner.refusal(updateService, { params: small, body: grown })).toEqual(refusal);

    await owner.call(deleteInterface, { params: host.interfaces[24]! });
    await owner.call(updateService, { params: small, body: { ...grown, bindings: bindings.slice(0, 24) } });
    await owner.call(bulkDeletePorts, { body: host.ports.slice(0, 20).map(({ id }) => id) });
    const left = host.interfaces.slice(0, 24).map(({ id }) => id);
    await owner.call(bulkDeleteInterfaces, { body: left });
    expect((await owner.list(listBindings, { query: { network_id: host.network_id } })).total).toBe(0);
    expect(await violationsIn(topology.db)).toEqual([]);
  });
});
