import { describe, expect, it } from "@jest/globals";
import { bindingJudge } from "./bindings.rules.js";
import type { BindingInput } from "./bindings.js";

const judge = bindingJudge({ ports: ["p1", "p2"], interfaces: ["i1", "i2"] });
const port = (port_id: string, interface_id: string | null = null): BindingInput => ({
  type: "Port",
  port_id,
  interface_id,
});
const on = (interface_id: string): BindingInput => ({ type: "Interface", interface_id });

describe("the resolution of requested bindings", () => {
  it("reports what is dropped, why, and what stays instead", () => {
    expect(judge([port("p1", "i1"), port("p1"), port("p1"), on("i2"), port("p2", "i1")])).toMatchObject({
      removed: [
        { index: 2, because: "duplicate", of: 1 },
        { index: 0, because: "all_interfaces", of: 1 },
      ],
      conflicts: [{ index: 3, interface_id: "i2", conflicts_with: 1, port_id: "p1" }],
      kept: [port("p1"), on("i2"), port("p2", "i1")],
    });
  });

  it("checks for conflicts only when no binding is foreign, as those are rejected first", () => {
    expect(judge([on("i1"), port("p1"), port("p9", "i9")])).toMatchObject({
      foreign: [{ index: 2, type: "Port", port_id: "p9", interface_id: "i9" }],
      conflicts: [],
    });
  });
});
