import { describe, expect, it } from "@jest/globals";
import { keptDetails, virtualizationOf, virtualizationValues } from "./virtualization.js";

const HOST = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const OTHER = "01938c4a-7d5e-7b21-9f3c-000000000001";

describe("virtualization in a form", () => {
  it.each([
    null,
    { type: "vm", details: {} },
    { type: "container", details: { image: "nginx:1", replicas: 2, limits: { memory: [1, null] } } },
    { type: "LXC", details: { node: "pve1", host_id: HOST, service_id: OTHER } },
    { type: "LXC", details: { host_id: "a name, not an id" } },
  ])("is sent unchanged: %j", (virtualization) => {
    const sent = virtualizationOf(virtualizationValues(virtualization));
    expect(JSON.stringify(sent)).toBe(JSON.stringify(virtualization));
  });

  it("shows what it runs on apart from other details, and how many others there are", () => {
    const details = { node: "pve1", host_id: HOST, limits: { memory: 1 } };
    const values = virtualizationValues({ type: "LXC", details });
    expect([values.runner, values.details.map(({ key }) => key)]).toEqual([{ kind: "host", id: HOST }, ["node"]]);
    expect(keptDetails(values)).toBe(1);
  });

  it("replaces what it runs on, and keeps what it cannot show", () => {
    const values = virtualizationValues({ type: "LXC", details: { host_id: HOST, limits: { memory: 1 } } });
    expect(virtualizationOf({ ...values, runner: { kind: "service", id: OTHER } })).toEqual({
      type: "LXC",
      details: { service_id: OTHER, limits: { memory: 1 } },
    });
    expect(virtualizationOf({ ...values, runner: null })?.details).toEqual({ limits: { memory: 1 } });
  });

  it("changes, adds and removes details", () => {
    const values = virtualizationValues({ type: "LXC", details: { node: "pve1", guest: 7 } });
    const rows = [
      { key: "node", text: "pve2", stored: "pve1" },
      { key: "image", text: "nginx" },
      { key: "", text: "" },
    ];
    expect(virtualizationOf({ ...values, details: rows })?.details).toEqual({ node: "pve2", image: "nginx" });
  });

  it("is sent without a type so that the API rejects it, and left out when nothing is filled in", () => {
    const nothing = virtualizationValues(null);
    expect(virtualizationOf({ ...nothing, runner: { kind: "host", id: HOST } })).toEqual({
      type: "",
      details: { host_id: HOST },
    });
    expect(virtualizationOf({ ...nothing, type: " " })).toBeNull();
  });
});
