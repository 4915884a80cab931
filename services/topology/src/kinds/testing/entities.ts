import type { HostRecord, Interface, Port, Service, Subnet } from "@nts/shared/contract";
import { hostKind } from "../host.js";
import { interfaceKind } from "../interface.js";
import { portKind } from "../port.js";
import { serviceKind } from "../service.js";
import { subnetKind } from "../subnet.js";

// Entities of tests. What a test does not name has the defaults of its kind: no test changes with a new member.

const AT = "2026-01-01T00:00:00.000Z";
const MADE = { id: "", created_at: AT, updated_at: AT, network_id: "network" };
const SOURCE = { type: "Manual" };

export function aSubnet(own: Partial<Subnet>): Subnet {
  const server = { ...MADE, cidr: "10.0.0.0/24", reserved: [], source: SOURCE };
  return { ...subnetKind.make({ name: "LAN", tags: [] }, server), ...own };
}

export function aHost(own: Partial<HostRecord>): HostRecord {
  return { ...hostKind.make({ name: "host", tags: [] }, { ...MADE, source: SOURCE }), ...own };
}

export function anInterface(own: Partial<Interface>): Interface {
  const placed = { host_id: "host", subnet_id: "subnet", ip_address: "10.0.0.1", mac_address: null, position: 0 };
  return { ...interfaceKind.make({ name: null }, { ...MADE, ...placed }), ...own };
}

export function aPort(own: Partial<Port>): Port {
  return { ...portKind.make({ number: 80, protocol: "Tcp" }, { ...MADE, host_id: "host", type: "Custom" }), ...own };
}

export function aService(own: Partial<Service>): Service {
  const placed = { host_id: "host", position: 0, bindings: [] };
  const body = { name: "service", service_definition: "nginx", tags: [] };
  return { ...serviceKind.make(body, { ...MADE, ...placed, source: SOURCE }), ...own };
}
