import { describe, expect, it } from "@jest/globals";
import { type Binding, type BindingInput, bindingKey } from "@nts/shared/contract";
import { bindingJudge } from "@nts/shared/contract/bindings.rules";
import { AppError } from "@nts/shared/errors";
import { bindingsOf, resolveBindings, withoutTargets } from "./bindings.rules.js";

const host = bindingJudge({ ports: ["p1", "p2"], interfaces: ["i1", "i2"] });
const port = (port_id: string, interface_id: string | null = null): BindingInput => ({
  type: "Port",
  port_id,
  interface_id,
});
const on = (interface_id: string): BindingInput => ({ type: "Interface", interface_id });

function refusal(...requested: BindingInput[]): unknown {
  try {
    return { resolved: resolveBindings(requested, host) };
  } catch (error) {
    return error instanceof AppError ? { code: error.code, ...error.params } : error;
  }
}

describe("bindings: allowed targets", () => {
  it("accepts ports and interfaces of the service's host", () => {
    const requested = [port("p2", "i1"), on("i2")];
    expect(resolveBindings(requested, host)).toEqual(requested);
    expect(resolveBindings([], host)).toEqual([]);
  });

  it("rejects bindings to a port or an interface of another host, with the place and reason of each", () => {
    expect(
      refusal(port("p1"), port("alien"), port("p1", "elsewhere"), port("alien", "elsewhere"), on("elsewhere")),
    ).toEqual({
      code: "binding_cross_host",
      violations: [
        { index: 1, type: "Port", port_id: "alien" },
        { index: 2, type: "Port", interface_id: "elsewhere" },
        { index: 3, type: "Port", port_id: "alien", interface_id: "elsewhere" },
        { index: 4, type: "Interface", interface_id: "elsewhere" },
      ],
    });
  });

  it("accepts neither a port as an interface nor an interface as a port", () => {
    expect(refusal(port("i1"), on("p1"))).toMatchObject({ violations: [{ port_id: "i1" }, { interface_id: "p1" }] });
  });

  it("removes duplicates with the same type, port and interface", () => {
    const requested = [port("p1", "i1"), on("i2"), port("p1", "i1"), on("i2"), port("p2", "i1")];
    expect(resolveBindings(requested, host)).toEqual([port("p1", "i1"), on("i2"), port("p2", "i1")]);
  });

  it("removes the bindings of a port to single interfaces when the port is bound to all", () => {
    expect(resolveBindings([port("p1", "i1"), port("p1"), port("p1", "i2")], host)).toEqual([port("p1")]);
  });

  it("keeps the single interfaces of another port when a port is bound to all", () => {
    expect(resolveBindings([port("p1"), port("p2", "i1")], host)).toEqual([port("p1"), port("p2", "i1")]);
  });
});

describe("bindings: conflicts", () => {
  it("rejects an interface binding together with a port binding on the same interface", () => {
    expect(refusal(on("i1"), port("p1", "i1"))).toEqual({
      code: "binding_conflict",
      violations: [{ index: 0, interface_id: "i1", conflicts_with: 1, port_id: "p1" }],
    });
    expect(refusal(on("i1"), port("p1", "i2"))).toEqual({ resolved: [on("i1"), port("p1", "i2")] });
  });

  it("rejects an interface binding together with a port binding on all interfaces", () => {
    expect(refusal(port("p1"), on("i1"))).toMatchObject({
      code: "binding_conflict",
      violations: [{ index: 1, interface_id: "i1", conflicts_with: 0, port_id: "p1" }],
    });
  });

  it("reports every conflicting pair", () => {
    const refused = refusal(on("i1"), on("i2"), port("p1"), port("p2", "i2"));
    expect((refused as { violations: object[] }).violations).toEqual([
      { index: 0, interface_id: "i1", conflicts_with: 2, port_id: "p1" },
      { index: 1, interface_id: "i2", conflicts_with: 2, port_id: "p1" },
      { index: 1, interface_id: "i2", conflicts_with: 3, port_id: "p2" },
    ]);
  });

  it("checks hosts before conflicts, and counts a pair once however often it was requested", () => {
    expect(refusal(on("i1"), port("p1", "i1"), port("alien"))).toMatchObject({ code: "binding_cross_host" });
    expect(refusal(on("i1"), on("i1"), port("p1"), port("p1"), port("p1", "i1"))).toEqual({
      code: "binding_conflict",
      violations: [{ index: 0, interface_id: "i1", conflicts_with: 2, port_id: "p1" }],
    });
  });

  it("reports no more than a thousand pairs", () => {
    const ids = Array.from({ length: 500 }, (_, n) => `x${n}`);
    const requested = [...ids.map(on), ...ids.map((id) => port(id))];
    const refused = (): unknown => resolveBindings(requested, bindingJudge({ ports: ids, interfaces: ids }));
    expect(refused).toThrow(expect.objectContaining({ code: "binding_conflict" }));
    try {
      refused();
    } catch (error) {
      expect((error as AppError).params["violations"]).toHaveLength(1000);
    }
  });
});

describe("bindings: what is stored", () => {
  let made = 0;
  const owner = { serviceId: "s", networkId: "n", now: "later", newId: () => `new${made++}` };
  const stored = (id: string, binding: BindingInput): Binding => ({
    ...binding,
    id,
    created_at: "before",
    updated_at: "before",
    service_id: "s",
    network_id: "n",
  });

  it("gives a new binding an id, times, its service and its network", () => {
    made = 0;
    expect(bindingsOf([port("p1"), on("i1")], [], owner)).toEqual([
      {
        id: "new0",
        created_at: "later",
        updated_at: "later",
        service_id: "s",
        network_id: "n",
        type: "Interface",
        interface_id: "i1",
      },
      {
        id: "new1",
        created_at: "later",
        updated_at: "later",
        service_id: "s",
        network_id: "n",
        type: "Port",
        port_id: "p1",
        interface_id: null,
      },
    ]);
  });

  it("keeps the id and times of an unchanged binding", () => {
    const current = [stored("a", port("p1", "i1")), stored("b", on("i2"))];
    const next = bindingsOf([port("p2", "i1"), on("i2"), port("p1", "i1")], current, owner);
    expect(next.slice(0, 2)).toEqual(current);
    expect(next[2]).toMatchObject({ port_id: "p2", created_at: "later" });
  });

  it("drops bindings that are no longer requested, and treats a binding to another interface as a new one", () => {
    const current = [stored("a", port("p1", "i1")), stored("b", on("i2"))];
    const next = bindingsOf([port("p1")], current, owner);
    expect(next).toHaveLength(1);
    expect(next[0]!.id).not.toBe("a");
  });

  it("removes the bindings to a deleted port or interface, and no others", () => {
    const all = [port("p1"), port("p1", "i1"), port("p2", "i1"), port("p2", "i2"), on("i1"), on("i2")];
    expect(withoutTargets(all, new Set(["p1"])).map(bindingKey)).toEqual(all.slice(2).map(bindingKey));
    expect(withoutTargets(all, new Set(["i1"]))).toEqual([port("p1"), port("p2", "i2"), on("i2")]);
    expect(withoutTargets(all, new Set())).toEqual(all);
  });
});
