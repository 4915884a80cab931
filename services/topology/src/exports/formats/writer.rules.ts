import type { Host } from "@nts/shared/contract";
import { isDnsName } from "@nts/shared/contract/formats";
import { type Scheme, SCHEMES } from "@nts/shared/contract/schemes.rules";
import { socketText } from "@nts/shared/contract/sockets.rules";
import { webSchemeOf } from "@nts/shared/contract/web-ports.rules";

/** Writes a file from hosts, in batches. */
export interface ExportWriter {
  readonly begin: string;
  /** @param needs absent for files that say nothing of them */
  hosts(hosts: readonly Host[], needs?: Needs): string;
  /** What follows all hosts, in pieces. */
  end(): Iterable<string>;
}

/** Names of networks and tags. */
export interface Names {
  network(id: string): string;
  /** The name of a managed tag by id; a label is its own name. */
  tag(tag: string): string;
}

/** What hosts and services need, by their dependencies and links, as far as the caller may see it. */
export interface Needs {
  /** Of a service, or of a host itself: such as `PostgreSQL on db`. */
  of(id: string): readonly string[];
  /** The network device that a host hangs on, or what it runs on; null if there is none, or several. */
  parentOf(hostId: string): { readonly id: string; readonly name: string } | null;
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

/** JSON characters that YAML does not accept unescaped. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A text as a value of YAML, on one line. */
export function yamlText(text: string): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replaceAll(UNPRINTABLE, escaped);
}

/** How a service is checked: by a page that it serves, or by a connection. */
export interface Check {
  readonly scheme: Scheme;
  readonly address: string;
  readonly port: number;
}

/** Checks of a service at each place with TCP where it listens, https first. */
export function checksOf(definition: string, listening: readonly Listening[]): readonly Check[] {
  const checks = listening
    .filter(({ protocol }) => protocol === "Tcp")
    .map((one): Check => ({ scheme: webSchemeOf(definition, one) ?? "tcp", address: one.address, port: one.port }));
  return SCHEMES.flatMap((scheme) => checks.filter((one) => one.scheme === scheme));
}

/** Its URL. */
export function checkUrl({ scheme, address, port }: Check): string {
  return `${scheme}://${socketText(address, port)}`;
}

/**
 * A line of metrics.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metricText(metric: string, labels: Readonly<Record<string, string>>, value: number): string {
  const escaped = (text: string): string =>
    text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${metric}{${pairs.join(",")}} ${value}\n`;
}
