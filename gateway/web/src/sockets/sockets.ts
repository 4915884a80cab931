import type { BindingInput, Interface, Port, TopologyBinding } from "@nts/shared/contract";
import { socketText } from "@nts/shared/contract/sockets.rules";
import { isReachable, urlOf, webSchemeOf } from "@nts/shared/contract/web-ports.rules";

// The sockets of a service, derived from its bindings.

/** A binding with its port and interface. */
export interface Bound {
  readonly id: string;
  /** null for a whole interface. */
  readonly port: number | null;
  readonly protocol: Port["protocol"];
  /** null for all interfaces. */
  readonly address: string | null;
}

export interface ServiceSocket {
  readonly id: string;
  /** Such as `10.0.0.5:445`, `all interfaces:443` and `[fd00::5]:53/udp`. */
  readonly text: string;
  /** The address to copy and connect to. */
  readonly value: string;
  /** The URL for browsers; null if there is none. */
  readonly href: string | null;
}

/** Ports and interfaces of a host. */
export interface OnHost {
  readonly ports: readonly Pick<Port, "id" | "number" | "protocol">[];
  readonly interfaces: readonly Pick<Interface, "id" | "ip_address">[];
}

/** The bindings of a service; those with a deleted port or interface are omitted. */
export function boundOf(
  bindings: readonly (BindingInput & { readonly id: string })[],
  { ports, interfaces }: OnHost,
): Bound[] {
  const addresses = new Map(interfaces.map(({ id, ip_address }) => [id, ip_address]));
  return bindings.flatMap((binding): Bound[] => {
    const at = addresses.get(binding.interface_id ?? "");
    if (at === undefined && binding.interface_id !== null) return [];
    if (binding.type === "Interface") return [{ id: binding.id, port: null, protocol: "Tcp", address: at ?? null }];
    const port = ports.find(({ id }) => id === binding.port_id);
    return port === undefined
      ? []
      : [{ id: binding.id, port: port.number, protocol: port.protocol, address: at ?? null }];
  });
}

/** The same for bindings in the graph. @param addresses of interfaces, by id */
export function boundInMap(binding: TopologyBinding, addresses: ReadonlyMap<string, string>): Bound[] {
  const at = addresses.get(binding.interface_id ?? "");
  if (at === undefined && binding.interface_id !== null) return [];
  const place = { id: binding.id, address: at ?? null };
  return [
    binding.type === "Interface"
      ? { ...place, port: null, protocol: "Tcp" }
      : { ...place, port: binding.port, protocol: binding.protocol },
  ];
}

/** @param addresses of the host: the first one is used for bindings to all interfaces */
export function socketsOf(definition: string, bound: readonly Bound[], addresses: readonly string[]): ServiceSocket[] {
  return bound.map(({ id, port, protocol, address }) => {
    const reached = address ?? addresses.find(isReachable) ?? addresses[0] ?? null;
    if (port === null) return { id, text: address ?? "", value: address ?? "", href: null };
    const suffix = protocol === "Udp" ? "/udp" : "";
    const value = reached === null ? `:${port}` : socketText(reached, port);
    const text = `${address === null ? `all interfaces:${port}` : value}${suffix}`;
    const scheme = webSchemeOf(definition, { port, protocol });
    return { id, text, value, href: scheme === null || reached === null ? null : urlOf(scheme, reached, port) };
  });
}

/** Distinct ports, such as `80/tcp 443/tcp`. */
export function portsText(bound: readonly Pick<Bound, "port" | "protocol">[]): string {
  const texts = bound.flatMap(({ port, protocol }) => (port === null ? [] : [`${port}/${protocol.toLowerCase()}`]));
  return [...new Set(texts)].join(" ");
}
