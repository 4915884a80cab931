import {
  MOST_CONNECTIONS,
  NOTHING_LEFT_OUT,
  otherEnd,
  ownEnd,
  type SeenConnection,
  type SeenEnd,
} from "../connections.rules.js";
import type { NamedMachine } from "../recognition.js";
import type { Scan, SeenAddress, SeenHost, SeenPort, SeenService, Skipped } from "../scan.rules.js";
import {
  entriesOf,
  firstOf,
  longPorts,
  mergedOf,
  type PortsOfEntry,
  type PublishedPort,
  shortPorts,
  withDefaults,
} from "./compose-values.js";
import { containerService, LONGEST_IMAGE, LONGEST_NAME, placeOf } from "./docker.js";
import { isObject, type JsonObject, memberOf } from "./json.js";
import { firstOf as firstOfList, kept } from "./kept.js";
import { faultAt } from "./lines.js";
import { createMachine, type Machine } from "./machine.js";
import type { Reader, ReaderGiven } from "./reader.js";
import { createSightings, type Sightings } from "./sightings.js";
import { type Structured, structuredIn } from "./structured.js";
import { addressIn, cardOf, clip, hostnameIn, macIn, PROTOCOLS, reasonAgainst } from "./texts.js";

// Compose files as people write them, and what `docker compose config` makes of them. They say what is to run on a machine, which the
// request names, and observe nothing. What a container is, its image says; published ports are ports of the machine. Of the
// containers' own addresses, other machines reach those in networks that are part of theirs (macvlan, ipvlan): such a container is
// a host of its own.

const ADVICE = "import the output of `docker compose config`";
const MOST_SERVICES = 5_000;
/** Services that one extends, one after another. */
const MOST_EXTENDED = 10;
/** Of a service. */
const MOST_NETWORKS = 100;
const MOST_ENTRIES = 1_000;
/** Networks whose addresses are those of the machine's network. */
const OF_THE_NETWORK: ReadonlySet<string> = new Set(["macvlan", "ipvlan"]);

export const compose: Reader = { format: "compose", looksLike, read: readProjects };

function looksLike(beginning: string): boolean {
  if (beginning.startsWith("{"))
    return /"services"\s*:\s*\{/.test(beginning) && /"(?:image|build)"\s*:\s*[{"]/.test(beginning);
  const lines = beginning.split("\n");
  const at = lines.findIndex((line) => /^services:\s*(?:#.*|&\S+\s*)?$/.test(line));
  const first = lines.slice(at + 1).find((line) => !/^\s*(?:#.*)?$/.test(line));
  const isMapping = at !== -1 && first !== undefined && /^[ \t]+(?:["']?[\w.-]+["']?\s*:|<<:)/.test(first);
  return isMapping && /^\s+(?:[\w.-]+: *\{ *)?(?:image|build|container_name|extends|ports)\s*:/m.test(beginning);
}

function readProjects(bytes: Iterable<Uint8Array>, { named = null }: ReaderGiven): Scan {
  const machine = createMachine();
  const containers = createSightings(machine.skipped);
  const connections: SeenConnection[] = [];
  let count = 0;
  for (const document of structuredIn(bytes, "split it")) {
    count++;
    takeProject({ machine, containers, connections, named }, document);
  }
  if (count === 0) throw faultAt(1, "must be a Compose file, with `services`");
  const list = firstOfList(connections, MOST_CONNECTIONS, { skipped: machine.skipped, line: 1, what: "dependencies" });
  const seen = { list, areAll: false, notMade: NOTHING_LEFT_OUT };
  const scan = machine.scan("Docker Compose", 1, list.length === 0 ? {} : { connections: seen });
  return { ...scan, hosts: [...scan.hosts, ...containers.scan(scan.info).hosts], coverage: null };
}

interface Taking {
  readonly machine: Machine;
  readonly containers: Sightings;
  readonly connections: SeenConnection[];
  readonly named: NamedMachine | null;
}

/** A document, which is one project. */
interface Project {
  /** Empty if the file does not say it. */
  readonly name: string;
  readonly services: ReadonlyMap<string, unknown>;
  readonly networks: ReadonlyMap<string, unknown>;
  /** All is said that holds, as by `docker compose config`: only services that run are in it. */
  readonly isResolved: boolean;
  readonly skipped: Skipped;
  /** Variables without a value that were listed. */
  readonly listed: Set<string>;
  /** Services whose containers have no port, and no name in the file. */
  readonly unnamed: string[];
  /** What runs, by the names of services. */
  readonly ends: Map<string, SeenEnd>;
  /** What services need, by their names. */
  readonly needs: { readonly line: number; readonly service: string; readonly needed: string }[];
}

/** @throws AppError `validation_failed` if it is no Compose file */
function takeProject(taking: Taking, document: Structured): void {
  const top = mergedOf(document.value);
  const services = entriesOf(firstOf(top, "services"));
  if (services.length === 0) throw faultAt(document.line, "must have `services`, as a Compose file does");
  if (services.length > MOST_SERVICES)
    throw faultAt(document.line, `an import reads at most ${MOST_SERVICES} services`);
  const name = withDefaults(textOf(firstOf(top, "name")), new Set());
  const networks = new Map(entriesOf(firstOf(top, "networks")));
  const { skipped } = taking.machine;
  const isResolved = name !== "" && textOf(firstOf(mergedOf(networks.get("default")), "name")) === `${name}_default`;
  const known = { name, services: new Map(services), networks, isResolved, skipped };
  const project: Project = { ...known, listed: new Set(), unnamed: [], ends: new Map(), needs: [] };
  if (firstOf(top, "include") !== undefined)
    skipped.add(document.line, "include", `what other files say is not part of this one; ${ADVICE}`);
  for (const [at, [service, value]] of services.entries()) {
    const line = document.lineOf(isObject(value) ? value : (top[0] ?? {})) ?? at + 1;
    takeService(taking, project, serviceOf(project, service, value, line));
  }
  taking.connections.push(...connectionsIn(project));
  const [first] = project.unnamed;
  if (first !== undefined)
    skipped.add(
      document.line,
      "project name",
      `it is not in the file, and containers without a port are recognized by their names, such as ${shown(first)}: ` +
        "add `name` if another project on the machine has the same",
    );
}

/** A service of a project. */
interface Service {
  readonly line: number;
  readonly name: string;
  /** The mappings that define it, the most important first, by the services that they are of: itself, and those that it extends. */
  readonly layers: readonly (readonly JsonObject[])[];
}

function serviceOf({ services, skipped }: Project, name: string, value: unknown, line: number): Service {
  const layers: JsonObject[][] = [];
  for (let next = value; isObject(next) && layers.length < MOST_EXTENDED;) {
    const layer = mergedOf(next);
    layers.push(layer);
    const extended = firstOf(layer, "extends");
    const isOfFile = isObject(extended) && memberOf(extended, "file") !== undefined;
    if (isOfFile) skipped.add(line, `service ${shown(name)}`, `it extends a service of another file; ${ADVICE}`);
    next = isOfFile ? null : services.get(textOf(isObject(extended) ? memberOf(extended, "service") : extended));
  }
  return { line, name, layers };
}

/** A container of a service. */
interface Container {
  readonly line: number;
  readonly name: string;
  readonly service: SeenService;
  readonly ports: readonly Entry[];
  readonly addresses: readonly SeenAddress[];
  readonly hostname: string | null;
  readonly network: Network;
}

/** Of the machine (`host`), of its own only (`own`), or of others, where it publishes ports (`inner`). */
type Network = "host" | "own" | "inner";

/** A port as written, with what it means. */
interface Entry {
  readonly text: string;
  readonly ports: PortsOfEntry;
}

/** Adds what a service runs, or skips it with a reason. */
function takeService(taking: Taking, project: Project, service: Service): void {
  const { skipped } = project;
  const { line, layers } = service;
  const values = valuesOf(layers.flat());
  const reason = reasonNotToRun(project, values, layers.length > 0);
  if (reason === null) {
    const container = containerOf(project, service, values);
    if (container.addresses.length > 0) takeHost(taking, container);
    project.ends.set(service.name, endOf(container));
    for (const needed of neededBy(layers)) project.needs.push({ line, service: service.name, needed });
    const isOnMachine = container.network !== "own" || container.addresses.length === 0;
    const isOpen = isOnMachine && takeWorkload(taking, container);
    if (isOnMachine && !isOpen && container.name === service.name && values.whole("container_name") === "")
      project.unnamed.push(service.name);
  } else skipped.add(line, `service ${shown(service.name)}`, reason);
  for (const variable of values.unknown) {
    if (project.listed.has(variable)) continue;
    project.listed.add(variable);
    skipped.add(line, `variable ${shown(variable)}`, `the file does not say its value; ${ADVICE}`);
  }
}

/** Names of services that a service needs: `depends_on`, `links`, and the network of another one. */
function neededBy(layers: readonly (readonly JsonObject[])[]): string[] {
  const needed = layers.flatMap((layer) => {
    const named = firstOf(layer, "depends_on");
    const names = Array.isArray(named) ? named.map(textOf) : entriesOf(named).map(([name]) => name);
    const linked = firstOf(layer, "links");
    const links = Array.isArray(linked) ? linked.map((one) => textOf(one).split(":", 1)[0] ?? "") : [];
    const shared = /^service:(.+)$/.exec(textOf(firstOf(layer, "network_mode")))?.[1] ?? "";
    return [...names.slice(0, MOST_ENTRIES), ...links.slice(0, MOST_ENTRIES), shared];
  });
  return [...new Set(needed.filter((name) => name !== ""))];
}

/** A container as the end of a dependency: it is a host of its own, or runs on the machine. */
function endOf({ name, addresses, ports }: Container): SeenEnd {
  const [opened] = ports.flatMap(({ ports: some }) => ("reason" in some ? [] : some));
  const protocol = opened === undefined ? undefined : PROTOCOLS.get(opened.protocol);
  const [address] = addresses;
  if (address === undefined) return ownEnd({ container: name });
  const port = opened === undefined || protocol === undefined ? null : { protocol, number: opened.target };
  return otherEnd(address.ip, port);
}

/** What the services of a project need, as far as it is in the file. */
function connectionsIn({ ends, needs, skipped }: Project): SeenConnection[] {
  return needs.flatMap(({ line, service, needed }) => {
    const client = ends.get(service);
    const server = ends.get(needed);
    if (client !== undefined && server !== undefined) return [{ line, client, server }];
    skipped.add(line, `dependency of service ${shown(service)}`, `the file runs no service ${shown(needed)}`);
    return [];
  });
}

/** The values of some mappings, with the defaults of variables. */
interface Values {
  readonly mappings: readonly JsonObject[];
  /** Variables without a value. */
  readonly unknown: Set<string>;
  /** Empty if there is none. */
  text(name: string): string;
  /** Empty if there is none, or if it depends on a variable without a value. */
  whole(name: string): string;
}

function valuesOf(mappings: readonly JsonObject[], unknown = new Set<string>()): Values {
  const text = (name: string): string => withDefaults(textOf(firstOf(mappings, name)), unknown);
  const whole = (name: string): string => {
    const before = new Set<string>();
    const value = withDefaults(textOf(firstOf(mappings, name)), before);
    for (const one of before) unknown.add(one);
    return before.size === 0 ? value : "";
  };
  return { mappings, unknown, text, whole };
}

function reasonNotToRun({ isResolved }: Project, { mappings, unknown }: Values, isMapping: boolean): string | null {
  if (!isMapping) return "it is no mapping";
  const profiles = firstOf(mappings, "profiles");
  const profile = Array.isArray(profiles) ? withDefaults(textOf(profiles[0]), unknown) : "";
  if (profile !== "" && !isResolved)
    return `it runs only with the profile ${shown(profile)}; import the output of \`docker compose --profile ${shown(profile)} config\``;
  return replicasOf(mappings) === 0 ? "no container of it is to run" : null;
}

function replicasOf(mappings: readonly JsonObject[]): number {
  const written = firstOf(mergedOf(firstOf(mappings, "deploy")), "replicas") ?? firstOf(mappings, "scale");
  const text = withDefaults(textOf(written), new Set());
  return /^\d{1,6}$/.test(text) ? Number(text) : 1;
}

function containerOf(project: Project, { line, name: ofService, layers }: Service, values: Values): Container {
  const { skipped } = project;
  const { mappings } = values;
  const own = values.whole("container_name");
  const called = own === "" && project.name !== "" ? `${project.name}-${ofService}-1` : own;
  const what = `name of service ${shown(ofService)}`;
  const name = kept(called === "" ? ofService : called, LONGEST_NAME, { skipped, line, what }) ?? "without a name";
  const isBuilt = firstOf(mappings, "image") === undefined && project.name !== "";
  const written = isBuilt ? `${project.name}-${ofService}` : values.text("image");
  const image = kept(written, LONGEST_IMAGE, { skipped, line, what: `image of service ${shown(ofService)}` }) ?? "";
  const attached = attachmentsOf(project, { line, name }, values);
  const mode = values.text("network_mode");
  const domain = values.whole("domainname");
  const hostname = values.whole("hostname");
  return {
    line,
    name,
    service: serviceIn(name, image, replicasOf(mappings)),
    ports: layers.flatMap((layer) => portEntries(firstOf(layer, "ports"), values.unknown)),
    addresses: attached.addresses,
    hostname: hostnameIn(domain === "" || hostname === "" ? hostname : `${hostname}.${domain}`),
    network: mode === "host" ? "host" : mode === "" && attached.isOwn ? "own" : "inner",
  };
}

function serviceIn(name: string, image: string, replicas: number): SeenService {
  const service = containerService(name, image, "Docker");
  const { virtualization } = service;
  if (replicas < 2 || virtualization === undefined) return service;
  return { ...service, virtualization: { ...virtualization, details: { ...virtualization.details, replicas } } };
}

function portEntries(written: unknown, unknown: Set<string>): Entry[] {
  if (!Array.isArray(written)) return [];
  return written.slice(0, MOST_ENTRIES).map((entry: unknown): Entry => {
    const before = new Set<string>();
    const text = (value: unknown): string => withDefaults(textOf(value), before);
    const mappings = mergedOf(entry);
    const ports = isObject(entry) ? longPorts((name) => text(firstOf(mappings, name))) : shortPorts(text(entry));
    const shownAs = isObject(entry) ? textOf(firstOf(mappings, "target")) : textOf(entry);
    for (const one of before) unknown.add(one);
    const [variable] = before;
    const reason = `the file does not say the value of ${shown(variable ?? "")}; ${ADVICE}`;
    return { text: shown(shownAs), ports: variable === undefined ? ports : { reason } };
  });
}

interface Attached {
  readonly addresses: readonly SeenAddress[];
  /** All of its networks are part of the machine's network. */
  readonly isOwn: boolean;
}

/** The addresses of a container that other machines reach; the others are skipped. */
function attachmentsOf(project: Project, { line, name }: Pick<Container, "line" | "name">, values: Values): Attached {
  const written = firstOf(values.mappings, "networks");
  const attachments: [string, unknown][] = Array.isArray(written)
    ? written.map((one: unknown) => [textOf(one), null])
    : entriesOf(written);
  const addresses: SeenAddress[] = [];
  let own = 0;
  for (const [network, settings] of attachments.slice(0, MOST_NETWORKS)) {
    const at = valuesOf(mergedOf(settings), values.unknown);
    const written = [at.whole("ipv4_address"), at.whole("ipv6_address")].filter((text) => text !== "");
    const skip = (text: string, reason: string): void => {
      project.skipped.add(line, `address ${text} of container ${name}`, reason);
    };
    const reason = reasonAgainstNetwork(project, network);
    if (reason === null) own++;
    if (reason === null && written.length === 0) skip(`in ${shown(network)}`, "the file does not say it");
    for (const text of written) {
      const ip = addressIn(text);
      const fault = reason ?? (ip === null ? "it is not an IP address" : reasonAgainst(ip));
      const mac = macIn(at.whole("mac_address") || (attachments.length === 1 ? values.whole("mac_address") : ""));
      if (fault === null && ip !== null) addresses.push({ ip, mac: cardOf(mac, ip).mac });
      else skip(shown(text), fault ?? "");
    }
  }
  return { addresses, isOwn: own > 0 && own === attachments.length };
}

/** Why other machines do not reach a network, as far as the file says; null if they do. */
function reasonAgainstNetwork({ networks }: Project, name: string): string | null {
  const settings = mergedOf(networks.get(name));
  if (OF_THE_NETWORK.has(textOf(firstOf(settings, "driver")))) return null;
  const external = firstOf(settings, "external");
  return external === undefined || external === false
    ? `only its machine reaches the network ${shown(name)}`
    : `the file does not say what kind of network ${shown(name)} is`;
}

/** Adds a container with addresses of its own as a host, where it listens on the ports that it has inside. */
function takeHost({ containers, named }: Taking, container: Container): void {
  const { line, name, addresses, hostname, service: whole } = container;
  const { virtualization, ...service } = whole;
  const opened = new Map<string, SeenPort>();
  for (const { ports } of container.ports)
    for (const { target: number, protocol: written } of "reason" in ports ? [] : ports) {
      const protocol = PROTOCOLS.get(written);
      if (protocol !== undefined) opened.set(`${number}/${protocol}`, { line, ip: null, protocol, number, service });
    }
  const host: SeenHost = {
    line,
    addresses,
    hostname,
    name,
    vendor: null,
    ports: [...opened.values()],
    workloads: opened.size === 0 ? [{ line, service, isOnHostNetwork: false }] : [],
    virtualization: {
      type: "Docker",
      runner: named?.hostId === null ? named.hostname : null,
      details: { ...(typeof named?.hostId === "string" && { host_id: named.hostId }), ...virtualization?.details },
    },
  };
  containers.add(host, `container ${name}`);
}

/** Adds the ports that a container publishes on its machine; without any, it runs there. @returns true if it has a port */
function takeWorkload({ machine }: Taking, container: Container): boolean {
  const { line, name, service, network } = container;
  const entries = network === "inner" ? container.ports : [];
  const reasons = entries.flatMap(({ text, ports }) =>
    "reason" in ports
      ? [{ text, reason: ports.reason }]
      : ports.map((port) => ({ text, reason: reasonAgainstPort(machine, container, port) })),
  );
  for (const { text, reason } of reasons)
    if (reason !== null) machine.skipped.add(line, `port ${text} of container ${name}`, reason);
  if (reasons.some(({ reason }) => reason === null)) return true;
  const reason = machine.run({ line, service, isOnHostNetwork: network === "host" });
  if (reason !== null) machine.skipped.add(line, `container ${name}`, reason);
  return false;
}

/** Opens a port on the machine. @returns why it is skipped; null if it is not */
function reasonAgainstPort(machine: Machine, { line, service }: Container, port: PublishedPort): string | null {
  const { address, published: number } = port;
  const protocol = PROTOCOLS.get(port.protocol);
  if (protocol === undefined) return "only TCP and UDP ports are supported";
  if (number === null) return "its machine chooses where to publish it; `docker inspect` says where";
  return machine.open(placeOf(address), { line, protocol, number, service });
}

function shown(text: string): string {
  return clip(text, 60) ?? "without a name";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}
