import { describe, expect, it } from "@jest/globals";
import { createHost, createService, patchHost } from "@nts/shared/contract";
import { formOf, requireKnown, unknownIn } from "./bodies.js";
import { isSame } from "./compare.js";
import { assignments, placedIn } from "./values.js";

const faultsIn = (value: unknown, form = formOf(createHost, true)): string[] =>
  unknownIn(value, form).map(({ path, fault }) => `${path.join(".")}: ${fault}`);

describe("the members of a body", () => {
  it("are those of the contract, at every depth", () => {
    expect(faultsIn({ name: "nas", hostnam: "nas.lan" })).toEqual([
      "hostnam: there is no such member; did you mean hostname?",
    ]);
    expect(faultsIn({ interfaces: [{ ip_address: "10.0.0.5", macaddress: "" }] })).toEqual([
      "interfaces.0.macaddress: there is no such member; did you mean mac_address?",
    ]);
    expect(faultsIn({ services: [{ bindings: [{ type: "Port", prt: "443/tcp" }] }] })).toEqual([
      "services.0.bindings.0.prt: there is no such member; did you mean port?",
    ]);
    expect(faultsIn({ attributes: { anything: 1 }, virtualization: { type: "LXC", details: { vmid: 101 } } })).toEqual(
      [],
    );
    expect(faultsIn({ nmae: "" })).toEqual(["nmae: there is no such member; did you mean name?"]);
    expect(faultsIn({ desc: "" })).toEqual(["desc: there is no such member; did you mean description?"]);
    expect(faultsIn({ zzz: 1 })[0]).toMatch(/^zzz: there is no such member; there are network, name, hostname, /);
  });

  it("are references by name, and those that get has printed", () => {
    expect(faultsIn({ network: "Home", interfaces: [{ subnet: "LAN" }] })).toEqual([]);
    expect(
      faultsIn({ bindings: [{ port: "443/tcp", interface: "10.0.0.5" }], host: "nas" }, formOf(createService, true)),
    ).toEqual([]);
    expect(faultsIn({ id: "1", created_at: "2026-01-31T09:30:00.000Z", observed: { os: { x: 1 } } })).toEqual([]);
  });

  it("are not those that only the server sets, on a command line", () => {
    expect(faultsIn({ updated_at: "x" }, formOf(patchHost, false))).toEqual(["updated_at: it is set by the server."]);
    expect(faultsIn({ interfaces: [] }, formOf(patchHost, false))).toEqual([
      "interfaces: they have commands of their own, such as nts create interface.",
    ]);
  });

  it("are refused with their place", () => {
    const [placed] = placedIn("name: nas\ninterfaces:\n  - ip_address: next\n    sub_net: LAN\n", "home.yaml");
    expect(() => requireKnown(placed!.value, formOf(createHost, true), placed!.placeOf)).toThrow(
      "home.yaml:4: interfaces.0.sub_net: there is no such member; did you mean subnet?",
    );
  });
});

describe("assignments", () => {
  it("are JSON or text, and text only where the contract has nothing else", () => {
    const schemas = formOf(createHost, false).body;
    expect(
      assignments(["name=007", "hidden=true", 'tags=["a"]', "attributes.site=Berlin", "description=null"], schemas),
    ).toEqual({ name: "007", hidden: true, tags: ["a"], attributes: { site: "Berlin" }, description: null });
    expect(assignments(["number=443"], formOf(createService, false).body)).toEqual({ number: 443 });
    expect(() => assignments(["name"])).toThrow("name: write it as name=value.");
  });
});

describe("what a document says of an entity", () => {
  it("is the same if what it leaves out is empty in the ends of links and dependencies, in either order", () => {
    const ends = [
      { host_id: "a", interface_id: null, port: "1" },
      { host_id: "b", interface_id: null, port: null },
    ];
    expect(isSame(ends, [{ host_id: "b" }, { host_id: "a", port: "1" }])).toBe(true);
    expect(isSame(ends, [{ host_id: "a" }, { host_id: "b" }])).toBe(false);
    expect(isSame({ host_id: "a", service_id: "s", process: null }, { host_id: "a" })).toBe(false);
  });

  it("is not the same if a binding loses its interface", () => {
    const binding = { id: "1", type: "Port", port_id: "p", interface_id: "i" };
    expect(isSame([binding], [{ type: "Port", port_id: "p", interface_id: "i" }])).toBe(true);
    expect(isSame([binding], [{ type: "Port", port_id: "p" }])).toBe(false);
  });

  it("is the same if attributes that it leaves out are other ones", () => {
    expect(isSame({ site: "Berlin", rack: 1 }, { site: "Berlin" })).toBe(true);
    expect(isSame({ site: "Berlin" }, { site: "Bonn" })).toBe(false);
  });
});
