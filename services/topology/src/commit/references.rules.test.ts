import { describe, expect, it } from "@jest/globals";
import type { HostRecord, Interface, Network, Service, Subnet } from "@nts/shared/contract";
import { type Changes, completed } from "./changes.rules.js";
import { inventoryChangesOf } from "./inventory.rules.js";
import { claimsOf } from "./references.rules.js";

const NETWORK = "network";
const OTHER_NETWORK = "other network";
const TAG = "01900000-0000-7000-8000-000000000001";
const OTHER_TAG = "01900000-0000-7000-8000-000000000002";

const inNetwork = { network_id: NETWORK, tags: [] };
const aHost = (changes: object = {}) => ({ id: "host", ...inNetwork, ...changes }) as unknown as HostRecord;
const aService = (changes: object = {}) =>
  ({ id: "service", host_id: "host", bindings: [], ...inNetwork, ...changes }) as unknown as Service;
const anInterface = (changes: object = {}) =>
  ({
    id: "interface",
    host_id: "host",
    network_id: NETWORK,
    subnet_id: "subnet",
    ip_address: "10.0.0.1",
    ...changes,
  }) as unknown as Interface;
const change = <T>(before: T, after: T) => ({
  before: { entity: before, revision: 1 },
  after: { entity: after, revision: 2 },
});

const claims = (changes: Changes) =>
  claimsOf(completed(changes)).map(({ target, counts, path }) => [target, path, ...(counts ? [counts] : [])]);
const inventory = (changes: Changes) => Object.fromEntries(inventoryChangesOf(completed(changes)));

describe("what changes refer to", () => {
  it("is nothing if an entity keeps its references", () => {
    const renamed = change(aService({ tags: [TAG] }), aService({ tags: [TAG], name: "another" }));
    expect(claims({ services: { changed: [renamed] } })).toEqual([]);
  });

  it("is the network of what is created or deleted, once, with the changes of its counters", () => {
    const bound = aService({ bindings: [{ id: "binding" }] });
    const removed = {
      services: { removed: [bound] },
      subnets: { removed: [{ id: "subnet", ...inNetwork } as unknown as Subnet] },
    };
    const counts = { subnets: -1, services: -1, bindings: -1 };
    expect(claims(removed)).toEqual([[NETWORK, "network_id", counts]]);
    expect(claims({ services: { created: [bound], removed: [aService({ network_id: OTHER_NETWORK })] } })).toEqual([
      [NETWORK, "network_id", { services: 1, bindings: 1 }],
      [OTHER_NETWORK, "network_id", { services: -1 }],
    ]);
  });

  it("is no network that is deleted itself", () => {
    const network = { id: NETWORK, tags: [] } as unknown as Network;
    expect(claims({ networks: { removed: [network] }, hosts: { removed: [aHost()] } })).toEqual([]);
  });

  it("is each managed tag that an entity gets, but no free label", () => {
    const tagged = change(aHost({ tags: [TAG] }), aHost({ tags: ["a label", TAG, OTHER_TAG] }));
    expect(claims({ hosts: { changed: [tagged] } })).toEqual([[OTHER_TAG, "tags.2"]]);
  });

  it("is the subnet of a changed address, and the network in which one is freed", () => {
    const moved = change(anInterface(), anInterface({ ip_address: "10.0.0.2" }));
    expect(claims({ interfaces: { changed: [moved] } })).toEqual([
      [NETWORK, "network_id", {}],
      ["subnet", "subnet_id"],
    ]);
  });

  it("is named by the paths of a host that is created with its children", () => {
    const services = { created: [aService({ id: "other" }), aService({ tags: [TAG] })] };
    const created = claims({ hosts: { created: [aHost()] }, interfaces: { created: [anInterface()] }, services });
    expect(created.slice(1)).toEqual([
      [TAG, "services.1.tags.0"],
      ["subnet", "interfaces.0.subnet_id"],
    ]);
  });
});

describe("the inventory of a host", () => {
  it("follows from children that it gets, loses, or passes to another host", () => {
    const passed = change(aService(), aService({ host_id: "other host" }));
    const changes = { services: { changed: [passed] }, interfaces: { created: [anInterface()] } };
    expect(inventory(changes)).toEqual({
      host: { add: { interfaces: ["interface"] }, services: -1 },
      "other host": { services: 1 },
    });
    expect(inventory({ interfaces: { removed: [anInterface()] } })).toEqual({
      host: { remove: { interfaces: ["interface"] } },
    });
  });

  it("stays if its children only change, but the host is locked", () => {
    const renamed = change(aService(), aService({ name: "another" }));
    expect(inventory({ services: { changed: [renamed] } })).toEqual({ host: {} });
  });

  it("is not that of a new or deleted host, which is stored as a whole", () => {
    const services = { created: [aService()] };
    expect(inventory({ hosts: { created: [aHost()] }, services })).toEqual({});
    expect(inventory({ hosts: { removed: [aHost()] }, services: { removed: [aService()] } })).toEqual({});
  });
});
