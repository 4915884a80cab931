import type { Host } from "@nts/shared/contract";
import { isDnsName } from "@nts/shared/contract/formats";

/** Writes one file from hosts, some at a time. */
export interface ExportWriter {
  readonly begin: string;
  hosts(hosts: readonly Host[]): string;
  /** What stands behind all hosts, piece by piece. */
  end(): Iterable<string>;
}

/** What networks and tags are called. */
export interface Names {
  network(id: string): string;
  /** Of a managed tag, by its id; a label is its own name. */
  tag(tag: string): string;
}

/** Where a service listens. */
export interface Listening {
  readonly address: string;
  readonly port: number;
  readonly protocol: "Tcp" | "Udp";
}

/** What a binding says of that. */
export interface Bound extends Listening {
  /** On all interfaces of the host, of which this is the first one. */
  readonly isEverywhere: boolean;
}

type OfHost = Pick<Host, "interfaces" | "ports">;
type OfService = Pick<Host["services"][number], "bindings">;

/** Makes what tells of the services of a host where each is bound. */
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

/** Makes what tells where each service of a host is reached, each place once. */
export function listeningOn(host: OfHost): (service: OfService) => readonly Listening[] {
  const boundOf = boundOn(host);
  return (service) => {
    const places = boundOf(service).map(({ address, port, protocol }) => ({ address, port, protocol }));
    return [...new Map(places.map((place) => [`${place.address} ${place.port} ${place.protocol}`, place])).values()];
  };
}

/** A text as a label of a host name: `NAS (Büro)` is `nas-buro`. Empty when nothing of it can be one. */
export function labelOf(name: string): string {
  return wordOf(name, "-").slice(0, 63).replace(/-+$/, "");
}

/** The letters and digits of a text, in small ASCII letters, with something in place of all else between them. */
export function wordOf(text: string, between: "-" | "_"): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{Mark}/gu, "").toLowerCase(); // prettier-ignore
  return plain.split(/[^a-z0-9]+/).filter((part) => part !== "").join(between); // prettier-ignore
}

/** The host name of a host, where it is one that programs take; null otherwise. */
export function hostnameOf({ hostname }: Pick<Host, "hostname">): string | null {
  const name = hostname?.replace(/\.$/, "") ?? "";
  return isDnsName(name) ? name.toLowerCase() : null;
}

/** A text without what begins an expression of a template: what somebody calls a host must not run at its reader's. */
export function untemplated(text: string): string {
  return text.replaceAll(/\{(?=[{%#])/g, "{ ");
}
