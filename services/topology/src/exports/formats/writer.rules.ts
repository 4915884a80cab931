import type { Host } from "@nts/shared/contract";

/** Writes one file from hosts, some at a time. */
export interface ExportWriter {
  readonly begin: string;
  hosts(hosts: readonly Host[]): string;
  end(): string;
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

type OfHost = Pick<Host, "interfaces" | "ports">;

/** Where a service listens, each place once. On all interfaces of a host it is reached at the first one's address. */
export function listeningOf(service: Host["services"][number], { interfaces, ports }: OfHost): readonly Listening[] {
  const places = service.bindings.flatMap((binding): [string, Listening][] => {
    if (binding.type !== "Port") return [];
    const at = binding.interface_id === null ? interfaces[0] : interfaces.find(({ id }) => id === binding.interface_id);
    const port = ports.find(({ id }) => id === binding.port_id);
    if (at === undefined || port === undefined) return [];
    const place = { address: at.ip_address, port: port.number, protocol: port.protocol };
    return [[`${place.address} ${place.port} ${place.protocol}`, place]];
  });
  return [...new Map(places).values()];
}

/** An address with a port as URLs have them. */
export function authorityOf({ address, port }: Pick<Listening, "address" | "port">): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
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

const HOSTNAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?)*$/i;

/** The host name of a host, where it is one that programs take; null otherwise. */
export function hostnameOf({ hostname }: Pick<Host, "hostname">): string | null {
  const name = hostname?.replace(/\.$/, "") ?? "";
  return HOSTNAME.test(name) ? name.toLowerCase() : null;
}
