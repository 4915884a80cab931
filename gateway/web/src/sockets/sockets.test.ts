import { describe, expect, it } from "@jest/globals";
import { type Bound, boundInMap, boundOf, portsText, socketsOf } from "./sockets.js";
import { webSchemeOf } from "@nts/shared/contract/web-ports.rules";

const HOST = {
  ports: [
    { id: "web", number: 443, protocol: "Tcp" },
    { id: "files", number: 445, protocol: "Tcp" },
    { id: "dns", number: 53, protocol: "Udp" },
  ],
  interfaces: [
    { id: "four", ip_address: "10.20.10.5" },
    { id: "six", ip_address: "fd00::5" },
  ],
} as const;
const ADDRESSES = HOST.interfaces.map(({ ip_address }) => ip_address);
const bound = (more: Partial<Bound>): Bound => ({
  id: "b",
  port: 443,
  protocol: "Tcp",
  address: "10.20.10.5",
  ...more,
});
const one = (more: Partial<Bound>, definition = "nginx", addresses: readonly string[] = ADDRESSES): object => {
  const [{ text, value, href } = { text: "", value: "", href: null }] = socketsOf(definition, [bound(more)], addresses);
  return { text, value, href };
};

describe("the sockets of a service", () => {
  it("are those of its bindings, without bindings whose port or interface is deleted", () => {
    const bindings = [
      { id: "1", type: "Port", port_id: "files", interface_id: "four" },
      { id: "2", type: "Port", port_id: "web", interface_id: null },
      { id: "3", type: "Port", port_id: "dns", interface_id: "six" },
      { id: "4", type: "Interface", interface_id: "six" },
      { id: "5", type: "Port", port_id: "gone", interface_id: null },
      { id: "6", type: "Port", port_id: "web", interface_id: "gone" },
      { id: "7", type: "Interface", interface_id: "gone" },
    ] as const;
    const texts = socketsOf("Samba", boundOf(bindings, HOST), ADDRESSES).map(({ text }) => text);
    expect(texts).toEqual(["10.20.10.5:445", "all interfaces:443", "[fd00::5]:53/udp", "fd00::5"]);
  });

  it("are the same in the graph, which includes ports in the bindings", () => {
    const addresses = new Map(HOST.interfaces.map(({ id, ip_address }) => [id as string, ip_address as string]));
    const all = [
      { type: "Port", id: "1", port_id: "p", port: 443, protocol: "Tcp", interface_id: null },
      { type: "Port", id: "2", port_id: "p", port: 53, protocol: "Udp", interface_id: "six" },
      { type: "Port", id: "3", port_id: "p", port: 53, protocol: "Udp", interface_id: "gone" },
      { type: "Interface", id: "4", interface_id: "four" },
    ] as const;
    const found = all.flatMap((binding) => boundInMap(binding, addresses));
    expect(socketsOf("x", found, ADDRESSES).map(({ text }) => text)).toEqual([
      "all interfaces:443",
      "[fd00::5]:53/udp",
      "10.20.10.5",
    ]);
    expect(portsText([...found, ...found])).toBe("443/tcp 53/udp");
  });

  it("are opened by http or https at a numeric address, and copied as address and port", () => {
    expect(one({})).toEqual({ text: "10.20.10.5:443", value: "10.20.10.5:443", href: "https://10.20.10.5/" });
    expect(one({ port: 8080, address: "fd00::5" })).toEqual({
      text: "[fd00::5]:8080",
      value: "[fd00::5]:8080",
      href: "http://[fd00::5]:8080/",
    });
    expect(one({ port: 3000, address: null })).toEqual({
      text: "all interfaces:3000",
      value: "10.20.10.5:3000",
      href: "http://10.20.10.5:3000/",
    });
    expect(one({ address: null }, "nginx", ["fe80::1", "fd00::5"])).toMatchObject({ href: "https://[fd00::5]/" });
  });

  it("are not links when a browser cannot open or reach them", () => {
    for (const [more, definition, addresses] of [
      [{ port: 445 }, "Samba", ADDRESSES],
      [{ protocol: "Udp" }, "nginx", ADDRESSES],
      [{ port: null }, "nginx", ADDRESSES],
      [{ address: null }, "nginx", []],
      [{ address: "fe80::1" }, "nginx", ADDRESSES],
      [{ address: "evil.example/?" }, "nginx", ADDRESSES],
    ] as const)
      expect([more, one(more, definition, addresses)]).toMatchObject([more, { href: null }]);
    expect(one({ address: null }, "nginx", [])).toMatchObject({ text: "all interfaces:443", value: ":443" });
  });
});

describe("ports that a browser can open", () => {
  it.each([
    ["anything", 80, "http"],
    ["anything", 8443, "https"],
    ["Grafana", 3000, "http"],
    ["Grafana", 13_000, "http"],
    ["Cockpit", 9090, "https"],
    ["Prometheus", 9090, "http"],
    ["ClickHouse", 9000, null],
    ["Kubernetes API", 6443, null],
    ["Gitea", 22, null],
    ["SSH", 22, null],
    ["PostgreSQL", 5432, null],
    ["constructor", 5432, null],
  ])("%s at %d: %s", (definition, port, scheme) => {
    expect(webSchemeOf(definition, { port, protocol: "Tcp" })).toBe(scheme);
  });
});
