import type { Host, Port, Service } from "@nts/shared/contract";
import { boundOf, type ServiceSocket, socketsOf } from "../sockets/sockets.js";

// What a host offers, in one list: each port with each service bound to it, ports without a service, and services
// without a port.

export interface Endpoint {
  readonly id: string;
  readonly port: Port | null;
  readonly service: Service | null;
  /** Where the service is reachable at this port. */
  readonly sockets: readonly ServiceSocket[];
}

type Parts = Pick<Host, "ports" | "interfaces" | "services">;

/** By port number, then services without a port by position. */
export function endpointsOf(host: Parts): Endpoint[] {
  const ports = [...host.ports].sort((a, b) => a.number - b.number || (a.protocol < b.protocol ? -1 : 1));
  const withPorts = ports.flatMap((port): Endpoint[] => {
    const found = host.services.flatMap((service) => atPort(host, service, port));
    return found.length > 0 ? found : [{ id: port.id, port, service: null, sockets: [] }];
  });
  const known = new Set(host.ports.map(({ id }) => id));
  const withoutPorts = host.services.flatMap((service): Endpoint[] => {
    const isAtPort = service.bindings.some((binding) => binding.type === "Port" && known.has(binding.port_id));
    const others = service.bindings.filter(({ type }) => type === "Interface");
    if (isAtPort && others.length === 0) return [];
    return [{ id: service.id, port: null, service, sockets: socketsAt(host, service, others) }];
  });
  return [...withPorts, ...withoutPorts];
}

function atPort(host: Parts, service: Service, port: Port): Endpoint[] {
  const bindings = service.bindings.filter((binding) => binding.type === "Port" && binding.port_id === port.id);
  if (bindings.length === 0) return [];
  return [{ id: `${port.id} ${service.id}`, port, service, sockets: socketsAt(host, service, bindings) }];
}

function socketsAt(host: Parts, { service_definition: definition }: Service, bindings: Service["bindings"]) {
  const addresses = host.interfaces.map(({ ip_address }) => ip_address);
  return socketsOf(definition, boundOf(bindings, host), addresses);
}
