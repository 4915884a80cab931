/** Networks, hosts and request bodies for tests of topology. */
import { randomUUID } from "node:crypto";
import {
  type BindingInput,
  type BodyInputOf,
  createHost,
  createNetwork,
  createService,
  createSubnet,
  type Host,
  type Network,
  type Service,
  type Subnet,
  type updateService,
} from "@nts/shared/contract";
import type { Caller } from "./topology.js";

/** An organization with one network, and a subnet 10.0.0.0/16 in it. */
export interface World {
  readonly owner: Caller;
  readonly network: Network;
  readonly subnet: Subnet;
}

/** Creates a network with a subnet in the caller's organization. */
export async function aNetwork(owner: Caller, name = "Home"): Promise<World> {
  const network = await owner.call(createNetwork, { body: { name } });
  const body = { network_id: network.id, cidr: "10.0.0.0/16", name: "LAN" };
  return { owner, network, subnet: await owner.call(createSubnet, { body }) };
}

export interface HostParts {
  readonly name?: string;
  /** Their number, at 10.0.0.1 and up, in the order of their positions. */
  readonly interfaces?: number;
  /** Their number, with port numbers from 1. */
  readonly ports?: number;
  /** Their number, named s0 and up, without bindings. */
  readonly services?: number;
}

/** Creates a host with these numbers of children. */
export async function aHost({ owner, network, subnet }: World, parts: HostParts = {}): Promise<Host> {
  const { name = "nas", interfaces = 0, ports = 0, services = 0 } = parts;
  const list = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
  return owner.call(createHost, {
    body: {
      network_id: network.id,
      name,
      interfaces: list(interfaces, (n) => ({ ip_address: `10.0.0.${n + 1}`, subnet_id: subnet.id, name: `eth${n}` })),
      ports: list(ports, (n) => ({ number: n + 1, protocol: "Tcp" as const })),
      services: list(services, (n) => ({ name: `s${n}`, service_definition: "nginx" })),
    },
  });
}

export function aService({ owner }: Pick<World, "owner">, host: Host, more: object = {}): Promise<Service> {
  const { id: host_id, network_id } = host;
  const body = { host_id, network_id, name: "web", service_definition: "nginx", ...more };
  return owner.call(createService, { body });
}

/** The binding to a port on one interface, or on all. */
export function onPort(port: { id: string } | undefined, at: { id: string } | null = null): BindingInput {
  return { type: "Port", port_id: idOf(port), interface_id: at === null ? null : at.id };
}

/** The binding to a whole interface. */
export function onInterface(at: { id: string } | undefined): BindingInput {
  return { type: "Interface", interface_id: idOf(at) };
}

/** A binding without the members that the server adds. */
export function inputOf(binding: BindingInput): BindingInput {
  return binding.type === "Port"
    ? { type: "Port", port_id: binding.port_id, interface_id: binding.interface_id }
    : { type: "Interface", interface_id: binding.interface_id };
}

/** A service as a client sends it back. */
export function echoOf(service: Service): BodyInputOf<typeof updateService> {
  return service;
}

/** An unused id. */
export const unknownEntity = (): { id: string } => ({ id: randomUUID() });

function idOf(entity: { id: string } | undefined): string {
  if (entity === undefined) throw new Error("the world has no such entity");
  return entity.id;
}
