import { describe, expect, it } from "@jest/globals";
import type { Host } from "@nts/shared/contract";
import { endpointsOf } from "./endpoints.js";

const service = (id: string, bindings: readonly object[]): object => ({ id, service_definition: "nginx", bindings });
const at = (port_id: string, interface_id: string | null = null): object => ({
  id: `${port_id} ${interface_id}`,
  type: "Port",
  port_id,
  interface_id,
});
const HOST = {
  interfaces: [{ id: "eth0", ip_address: "10.0.0.5" }],
  ports: [
    { id: "https", number: 443, protocol: "Tcp" },
    { id: "dns-udp", number: 53, protocol: "Udp" },
    { id: "dns-tcp", number: 53, protocol: "Tcp" },
    { id: "ssh", number: 22, protocol: "Tcp" },
  ],
  services: [
    service("web", [at("https", "eth0")]),
    service("dns", [at("dns-tcp"), at("dns-udp")]),
    service("blog", [at("https")]),
    service("engine", [{ id: "b", type: "Interface", interface_id: "eth0" }]),
    service("idle", []),
    service("orphan", [at("deleted")]),
  ],
} as unknown as Host;

describe("what a host offers", () => {
  it("is each port with each of its services, ports without one, and services without a port", () => {
    const rows = endpointsOf(HOST).map(({ port, service: one, sockets }) =>
      [port?.id ?? "-", one?.id ?? "-", ...sockets.map(({ text }) => text)].join(" "),
    );
    expect(rows).toEqual([
      "ssh -",
      "dns-tcp dns all interfaces:53",
      "dns-udp dns all interfaces:53/udp",
      "https web 10.0.0.5:443",
      "https blog all interfaces:443",
      "- engine 10.0.0.5",
      "- idle",
      "- orphan",
    ]);
  });

  it("has an id for every row", () => {
    const ids = endpointsOf(HOST).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
