import { describe, expect, it } from "@jest/globals";
import { ServiceUpdate, type Service } from "@nts/shared/contract";
import { bindingJudge } from "@nts/shared/contract/bindings.rules";
import type { Stored } from "../storage/entities.js";
import { decideDocument, decideOnHost, extentOf } from "./service-update.rules.js";

const NOW = new Date("2026-01-02T00:00:00.000Z");
const BEFORE = "2026-01-01T00:00:00.000Z";
const NETWORK = "01900000-0000-7000-8000-000000000001";
const HOST = "01900000-0000-7000-8000-000000000002";
const OTHER_HOST = "01900000-0000-7000-8000-000000000003";
const PORT = "01900000-0000-7000-8000-000000000004";

const body = {
  host_id: HOST,
  network_id: NETWORK,
  name: "web",
  service_definition: "nginx",
  position: 1,
  bindings: [],
  tags: [],
  source: { type: "Manual" },
};
const entity = {
  ...ServiceUpdate.parse(body),
  id: "01900000-0000-7000-8000-000000000005",
  created_at: BEFORE,
  updated_at: BEFORE,
  bindings: [],
} as unknown as Service;
const current: Stored<Service> = { entity, revision: 3 };
const requested = (changes: object): ServiceUpdate => ServiceUpdate.parse({ ...body, ...changes });
const port = { type: "Port", port_id: PORT, interface_id: null };

function decide(changes: object, hostId = HOST) {
  const host = {
    id: hostId,
    network_id: NETWORK,
    name: "a host",
    inventory: { ports: [PORT], interfaces: [], services: 3 },
  };
  const on = { host, judge: bindingJudge(host.inventory), now: NOW, newId: () => "new" };
  return decideOnHost(current, requested(changes), on);
}

describe("the update of a service", () => {
  it("concerns its document, its bindings, or others", () => {
    const extents = [{ name: "x" }, { bindings: [port] }, { position: 0 }, { host_id: OTHER_HOST }].map((changes) =>
      extentOf(entity, requested(changes), false),
    );
    expect(extents).toEqual(["document", "bindings", "others", "others"]);
    expect(extentOf(entity, requested({}), true)).toBe("others");
  });

  it("gives the same state by its document and on its host", () => {
    const changes = { name: "proxy", tags: ["prod"] };
    expect(decide(changes)).toEqual({
      next: decideDocument(current, requested(changes), NOW),
      shift: null,
      isMoved: false,
    });
    expect(decideDocument(current, requested(changes), NOW)).toMatchObject({ entity: changes, revision: 4 });
    expect([decide({}).next, decideDocument(current, requested({}), NOW)]).toEqual([null, null]);
  });

  it("makes room for a new position, and puts a service that comes from another host where it asks to be", () => {
    expect(decide({ position: 0 })).toMatchObject({
      next: { entity: { position: 0 } },
      shift: { from: 0, to: 0, by: 1 },
    });
    const moved = decide({ position: 9, host_id: OTHER_HOST }, OTHER_HOST);
    expect(moved).toMatchObject({ next: { entity: { host_id: OTHER_HOST, position: 2 } }, shift: null, isMoved: true });
  });

  it("binds it to what its host has, and is refused in another network", () => {
    const bound = { id: "new", service_id: entity.id, network_id: NETWORK, ...port };
    expect(decide({ bindings: [port, port] }).next?.entity.bindings).toEqual([
      { ...bound, created_at: NOW.toISOString(), updated_at: NOW.toISOString() },
    ]);
    expect(() => decide({ bindings: [{ ...port, port_id: OTHER_HOST }] })).toThrow("binding");
    expect(() => decide({ network_id: OTHER_HOST })).toThrow("network");
  });
});
