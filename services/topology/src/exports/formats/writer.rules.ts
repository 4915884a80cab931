import type { Host } from "@nts/shared/contract";
import { isDnsName } from "@nts/shared/contract/formats";

/** Writes a file from hosts, in batches. */
export interface ExportWriter {
  readonly begin: string;
  hosts(hosts: readonly Host[]): string;
  /** What follows all hosts, in pieces. */
  end(): Iterable<string>;
}

/** Names of networks and tags. */
export interface Names {
  network(id: string): string;
  /** The name of a managed tag by id; a label is its own name. */
  tag(tag: string): string;
}

/** Where a service listens. */
export interface Listening {
  readonly address: string;
  readonly port: number;
  readonly protocol: "Tcp" | "Udp";
}

/** The binding's data. */
export interface Bound extends Listening {
  /** Bound to all interfaces of the host; this is the first one. */
  readonly isEverywhere: boolean;
}

type OfHost = Pick<Host, "interfaces" | "ports">;
type OfService = Pick<Host["services"][number], "bindings">;

/** Creates a function that lists the bindings of a host's services. */
export function boundOn({ interfaces, ports }: OfHost): (service: OfService) => readonly Bound[] {
  const addresses = new Map(interfaces.map(({ id, ip_address }) => [id, ip_address]));
  const portOf = new Map(ports.map((port) => [port.id, port]));
  return ({ bindings }) =>
    bindings.flatMap((binding) => {
      if (binding.type !== "Port") return [];
      const isEverywhere = binding.interface_id === null;
      const address = addresses.get(binding.interface_id ?? interfaces[0]?.id ?? "");
      const port = portOf.get(binding.port_id);
      return address === undefined || port === undefined
        ? []
        : [{ address, port: port.number, protocol: port.protocol, isEverywhere }];
    });
}

/** Creates a function that lists where each service of a host is reachable, without duplicates. */
export function listeningOn(host: OfHost): (service: OfService) => readonly Listening[] {
  const boundOf = boundOn(host);
  return (service) => {
    const places = boundOf(service).map(({ address, port, protocol }) => ({ address, port, protocol }));
    return [...new Map(places.map((place) => [`${place.address} ${place.port} ${place.protocol}`, place])).values()];
  };
}

/** Converts text to a DNS label: `NAS (Büro)` becomes `nas-buro`. Empty if nothing remains. */
export function labelOf(name: string): string {
  return wordOf(name, "-").slice(0, 63).replace(/-+$/, "");
}

/** The lower-case ASCII letters and digits of a text, joined by a separator. */
export function wordOf(text: string, between: "-" | "_"): string {
  const plain = text
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase();
  return plain
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "")
    .join(between);
}

/** The hostname of a host if programs accept it; otherwise null. */
export function hostnameOf({ hostname }: Pick<Host, "hostname">): string | null {
  const name = hostname?.replace(/\.$/, "") ?? "";
  return isDnsName(name) ? name.toLowerCase() : null;
}

/** Removes template delimiters, so that user input is not evaluated by the reader. */
export function untemplated(text: string): string {
  return text.replaceAll(/\{(?=[{%#])/g, "{ ");
}
