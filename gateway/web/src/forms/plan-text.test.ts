import { describe, expect, it } from "@jest/globals";
import { alongText, changeText } from "./plan-text.js";

const id = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";

describe("the text of a plan", () => {
  it("shows for each member the old and the new value, and for lists of objects how many", () => {
    const fields = { name: { before: "a", after: "b" }, bindings: { before: [{ id }], after: [{ id }, { id }] } };
    expect(changeText({ action: "update", entity: "Service", id, name: "a", fields })).toBe(
      'Service a: name "a" → "b", bindings (1) → (2)',
    );
    expect(changeText({ action: "delete", entity: "Port", id, name: "443/Tcp", fields: {} })).toBe("Port 443/tcp");
  });

  it("names the members of an object, and leaves out what a new entity does not have", () => {
    const observed = { before: null, after: { os: null, role: { value: "Printer" } } };
    const fields = { attributes: { before: {}, after: { rack: "A3", floor: 1 } }, observed };
    expect(changeText({ action: "update", entity: "Host", id, name: "nas", fields })).toBe(
      "Host nas: attributes none → (rack, floor), observed none → (role)",
    );
    const made = { network_id: { after: id }, name: { after: "nas" }, hidden: { after: false }, tags: { after: [] } };
    expect(changeText({ action: "create", entity: "Host", id, name: "nas", fields: made })).toBe(
      'Host nas: name "nas"',
    );
  });

  it("says that something moves, not from where to where", () => {
    const fields = { host_id: { before: id, after: id.replace("0", "1") }, position: { before: 0, after: 2 } };
    expect(changeText({ action: "update", entity: "Interface", id, name: "10.0.0.3", fields })).toBe(
      "Interface 10.0.0.3: to another host, position 0 → 2",
    );
  });

  it("lists the values of a list, and shows none for an empty one", () => {
    const fields = { tags: { before: ["storage", "critical"], after: [] }, hostname: { before: null, after: "nas" } };
    expect(changeText({ action: "update", entity: "Host", id, name: "nas", fields })).toBe(
      'Host nas: tags (storage, critical) → none, hostname none → "nas"',
    );
  });

  it("counts what is deleted along, and what a deleted tag is removed from", () => {
    expect(alongText({ cascades: {}, changes: [] })).toBeNull();
    expect(alongText({ cascades: { services: 1, ports: 2, bindings: 3 }, changes: [] })).toBe(
      "Also deletes 1 service, 2 ports and 3 bindings.",
    );
    expect(alongText({ cascades: { dependencies: 1, links: 1 }, changes: [] })).toBe(
      "Also deletes 1 dependency and 1 link.",
    );
    const changes = [{ action: "delete", entity: "Tag", id, name: "old", fields: {} } as const];
    expect(alongText({ cascades: { hosts: 2 }, changes })).toBe("Also removes it from 2 hosts.");
  });
});
