import type { BindingInput, Host, Interface, Port } from "@nts/shared/contract";

/** Such as `443/tcp`. */
export function portText({ number, protocol }: Pick<Port, "number" | "protocol">): string {
  return `${number}/${protocol.toLowerCase()}`;
}

/** Such as `eth0 (10.0.0.5)`. */
export function interfaceText({ name, ip_address }: Pick<Interface, "name" | "ip_address">): string {
  return name === null ? ip_address : `${name} (${ip_address})`;
}

/** Such as `443/tcp on all interfaces`. */
export function bindingText(binding: BindingInput, { ports, interfaces }: Pick<Host, "ports" | "interfaces">): string {
  const at = interfaces.find(({ id }) => id === binding.interface_id);
  const place = at === undefined ? "a deleted interface" : interfaceText(at);
  if (binding.type === "Interface") return place;
  const port = ports.find(({ id }) => id === binding.port_id);
  const name = port === undefined ? "a deleted port" : portText(port);
  return binding.interface_id === null ? `${name} on all interfaces` : `${name} on ${place}`;
}
