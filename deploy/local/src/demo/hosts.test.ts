import { describe, expect, it } from "@jest/globals";
import { BlockList } from "node:net";
import { SUBNETS } from "./data.js";
import { CHANGES } from "./history.js";
import { HOSTS } from "./network.js";

const interfaces = HOSTS.flatMap((host) => host.interfaces);

describe("the demo network", () => {
  it("has at least 25 hosts in 4 subnets and at least 60 services", () => {
    expect(SUBNETS).toHaveLength(4);
    expect(HOSTS.length).toBeGreaterThanOrEqual(25);
    expect(HOSTS.flatMap((host) => host.services).length).toBeGreaterThanOrEqual(60);
  });

  it.each(SUBNETS)("gives hosts only addresses of $cidr in the subnet $name", ({ key, cidr }) => {
    const [address = "", bits = ""] = cidr.split("/");
    const block = new BlockList();
    block.addSubnet(address, Number(bits));
    const inside = interfaces.filter(([subnet]) => subnet === key);
    expect(inside.length).toBeGreaterThan(0);
    expect(inside.filter(([, ip]) => !block.check(ip))).toEqual([]);
  });

  it.each([
    ["name", HOSTS.map(({ name }) => name)],
    ["hostname", HOSTS.map(({ hostname }) => hostname)],
    ["address", interfaces.map(([, address]) => address)],
    ["MAC address", interfaces.map(([, , mac]) => mac)],
  ])("contains no %s twice", (_, values) => {
    expect(new Set(values).size).toBe(values.length);
  });

  it("binds services only to interfaces of their own host", () => {
    for (const { name, interfaces: own, services } of HOSTS) {
      const named = services.flatMap(([, , ...ports]) => ports.flatMap((port) => port.split("@").slice(1)));
      expect({ name, missing: named.filter((index) => own[Number(index)] === undefined) }).toEqual({
        name,
        missing: [],
      });
    }
  });

  it("has a history about its own hosts, by several people and with valid comments", () => {
    const names = new Set(HOSTS.map(({ name }) => name));
    expect(CHANGES.filter(({ host }) => !names.has(host))).toEqual([]);
    expect(CHANGES.filter(({ comment }) => comment.length > 200)).toEqual([]);
    expect(new Set(CHANGES.map(({ by }) => by)).size).toBe(3);
  });
});
