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
    const changes = [{ action: "delete", entity: "Tag", id, name: "old", fields: {} } as const];
    expect(alongText({ cascades: { hosts: 2 }, changes })).toBe("Also removes it from 2 hosts.");
  });
});
