import { describe, expect, it } from "@jest/globals";
import { BlockList } from "node:net";
import { createHost, createSubnet } from "../contract/index.js";
import { HOSTS, hostBody, labelOf, subnetBodies } from "./bodies.js";
import { SUBNETS } from "./data.js";
import { LINKS, linkBodies, VLANS } from "./cabling.js";
import { DEPENDENCIES, dependencyBodies } from "./dependencies.js";

const interfaces = HOSTS.flatMap((host) => host.interfaces);

describe("the sample network", () => {
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

  it("has links between hosts that are there, at ports of their own, and VLANs for all subnets", () => {
    const hosts = HOSTS.map(({ name, interfaces: own }) => ({
      ...{ id: name, name },
      interfaces: own.map(([, , mac, card]) => ({ id: mac, name: card })),
    }));
    const bodies = linkBodies("network", hosts, new Map(VLANS.map(({ vid, name }) => [vid, name])));
    expect(bodies).toHaveLength(LINKS.length);
    const ports = bodies.flatMap(({ ends }) =>
      ends.map(({ host_id, interface_id, port }) => `${host_id} ${interface_id ?? port}`),
    );
    const wired = ports.filter((port) => !port.endsWith(" null"));
    expect(new Set(wired).size).toBe(wired.length);
    expect(VLANS.map(({ subnet }) => subnet).sort()).toEqual(SUBNETS.map(({ key }) => key).sort());
  });

  it("has dependencies between services and ports that are there", () => {
    const hosts = HOSTS.map(({ name, services }) => ({
      ...{ id: name, name },
      services: services.map(([service]) => ({ id: service, name: service })),
      ports: services.flatMap(([, , ...ports]) =>
        ports.map((port) => {
          const [number = "", protocol = ""] = (port.split("@")[0] ?? "").split("/");
          return { id: port, number: Number(number), protocol };
        }),
      ),
    }));
    const bodies = dependencyBodies("network", hosts);
    expect(bodies).toHaveLength(DEPENDENCIES.length);
    expect(bodies.filter(({ server }) => server.port_id === null)).toEqual([]);
  });

  it("is created by bodies that the contract accepts, with what runs on what", () => {
    const id = (n: number): string => `01938c4a-7d5e-7b21-9f3c-${String(n).padStart(12, "0")}`;
    const subnetIds = new Map(SUBNETS.map(({ key }, index) => [key, id(index)]));
    const runnerIds = new Map(HOSTS.map(({ hostname }, index) => [labelOf(hostname), id(100 + index)]));
    const bodies = HOSTS.map((host) => hostBody(host, { networkId: id(99), subnetIds, runnerIds }));
    const faults = [
      ...[...subnetBodies(id(99)).values()].map((body) => createSubnet.body!.safeParse(body).error),
      ...bodies.map((body) => createHost.body!.safeParse(body).error),
    ];
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    expect(bodies.filter(({ virtualization }) => virtualization?.details?.["host_id"] !== undefined).length).toBe(
      HOSTS.filter(({ virtualization }) => virtualization !== undefined).length,
    );
  });
});
