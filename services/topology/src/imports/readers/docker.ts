import { serviceOfImage } from "../processes.rules.js";
import { containerKey, type Scan, type SeenService } from "../scan.rules.js";
import { documentsIn } from "./documents.js";
import { entriesOf, isObject, jsonFault, type JsonObject, objectAt, textAt } from "./json.js";
import { kept } from "./kept.js";
import { beginningOf } from "./lines.js";
import { createMachine, type Machine, type PortPlace, portNumberIn } from "./machine.js";
import type { Reader } from "./reader.js";
import { addressIn, clip, isLinkLocal, isLoopback, PROTOCOLS } from "./texts.js";

// `docker inspect` and `podman inspect`. Published ports are open on the machine, which the request names; the
// containers' own addresses are local to it and skipped. Only a first line with the command tells that the file has all
// containers that run.

/** `# docker inspect $(docker ps -q)`, without a filter. */
const COMMAND =
  /^#\s*(?:sudo\s+)?(docker|podman)\s+(?:container\s+)?inspect\s+\$\((?:sudo\s+)?\1\s+(?:container\s+)?(?:ps|ls)(?:\s+(?:-[aq]+|--all|--quiet))*\)\s*$/;

const PORT = /^(\d{1,5})\/(tcp|udp)$/;
/** Maximum places where a container publishes a port. */
const MOST_PLACES = 100;

/** Characters that are kept of a container. */
export const LONGEST_NAME = 100;
export const LONGEST_IMAGE = 200;

/** Image names used by many products. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(["server", "app", "web", "api", "core"]);

/** Products whose image has another name. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["pihole", "Pi-hole"],
  ["adguardhome", "AdGuard Home"],
  ["homeassistant", "Home Assistant"],
  ["httpd", "Apache HTTP Server"],
  ["mongo", "MongoDB"],
  ["registry", "Docker Registry"],
  ["tomcat", "Apache Tomcat"],
  ["immich-server", "Immich"],
  ["node-red", "Node-RED"],
  ["paperless-ngx", "Paperless-ngx"],
  ["eclipse-mosquitto", "Eclipse Mosquitto"],
  ["nginx-proxy-manager", "Nginx Proxy Manager"],
  ["node-exporter", "Prometheus Node Exporter"],
  ["portainer-ce", "Portainer"],
  ["pms-docker", "Plex"],
  ["kube-apiserver", "Kubernetes API"],
]);

interface Container {
  /** Number of the entry. */
  readonly line: number;
  readonly name: string;
  readonly service: SeenService;
}

export const docker: Reader = { format: "docker", looksLike, read: readContainers };

function looksLike(beginning: string): boolean {
  if (typeOfCommand(beginning) !== null) return true;
  const json = beginning.replace(/^(?:#[^\n]*\n\s*)+/, "");
  return /^\[\s*\{/.test(json) && /"(?:State|NetworkSettings|HostConfig|Config)"\s*:\s*\{/.test(json);
}

function readContainers(bytes: Iterable<Uint8Array>): Scan {
  const blocks = [...bytes];
  const machine = createMachine();
  const running = new Set<string>();
  const stopped = new Set<string>();
  const documents = [...documentsIn(blocks)];
  const requireOneMachine = createOneMachine();
  for (const [index, entry] of documents.flatMap(({ value }) => entriesOf(value)).entries()) {
    if (!isObject(entry["NetworkSettings"]))
      throw jsonFault(`$[${index}].NetworkSettings`, "must be an object, as `docker inspect` writes it of a container");
    const key = containerKey(typeOf(entry), nameOf(entry));
    (isRunning(entry) ? running : stopped).add(key);
    requireOneMachine(index, key, entry);
    takeContainer(machine, index + 1, entry);
  }
  const allOf = typeOfCommand(beginningOf(blocks));
  return machine.scan("docker", 1, { containers: { running, stopped, allOf } });
}

/** The type of which a file has all containers that run, by the command in its first line; null if it does not say so. */
function typeOfCommand(beginning: string): string | null {
  const command = COMMAND.exec(beginning.split("\n", 1)[0] ?? "")?.[1];
  return command === undefined ? null : command === "podman" ? "Podman" : "Docker";
}

function isRunning(entry: JsonObject): boolean {
  return objectAt(entry, "State")["Running"] === true;
}

function typeOf(entry: JsonObject): string {
  return "OCIRuntime" in entry || "ConmonPidFile" in entry ? "Podman" : "Docker";
}

/** Of the containers of one machine, no two have the same name, or publish the same port at the same address. */
function createOneMachine() {
  const owners = new Map<string, string>();
  return (index: number, key: string, entry: JsonObject): void => {
    const id = textAt(entry, "Id");
    const places = isRunning(entry) && typeOf(entry) === "Docker" ? placesIn(entry) : [];
    for (const place of [`name ${key}`, ...places]) {
      const owner = owners.get(place) ?? id;
      if (owner !== id)
        throw jsonFault(
          `$[${index}]`,
          `must be a container of the same machine as those before it, one of which has its ${place}: import the containers of each machine by themselves, with its name`,
        );
      owners.set(place, id);
    }
  };
}

function placesIn(entry: JsonObject): string[] {
  const ports = Object.entries(objectAt(objectAt(entry, "NetworkSettings"), "Ports"));
  return ports.flatMap(([port, places]) =>
    (Array.isArray(places) ? places.slice(0, MOST_PLACES) : []).map((place: unknown) => {
      const binding = isObject(place) ? place : {};
      return `port ${textAt(binding, "HostIp")}:${textAt(binding, "HostPort")}/${PORT.exec(port)?.[2] ?? ""}`;
    }),
  );
}

/** Adds the ports of a container, or skips it with a reason. */
function takeContainer(machine: Machine, line: number, entry: JsonObject): void {
  const name = nameOf(entry);
  const mode = textAt(objectAt(entry, "HostConfig"), "NetworkMode");
  const published = Object.entries(objectAt(objectAt(entry, "NetworkSettings"), "Ports"));
  const skip = (reason: string): void => {
    machine.skipped.add(line, `container ${name}`, reason);
  };
  if (!isRunning(entry)) {
    skip("it is not running");
    return;
  }
  const { skipped } = machine;
  for (const [what, text, most] of textsOf(entry))
    kept(text, most, { skipped, line, what: `${what} of container ${name}` });
  const service = serviceOf(entry, name);
  const isOnHostNetwork = mode === "host";
  const opened = isOnHostNetwork
    ? []
    : published.filter(
        ([port, places]) => Array.isArray(places) && takePort(machine, { line, name, service }, port, places),
      );
  if (opened.length > 0) return;
  const reason = machine.run({ line, service, isOnHostNetwork });
  if (reason !== null) skip(reason);
}

/** Adds the places where a container publishes a port. @returns true if there is one that others can reach */
function takePort(machine: Machine, container: Container, port: string, places: readonly unknown[]): boolean {
  const { line, name, service } = container;
  const skip = (reason: string): void => {
    machine.skipped.add(line, `port ${port.slice(0, 20)} of container ${name}`, reason);
  };
  const protocol = PROTOCOLS.get(PORT.exec(port)?.[2] ?? "");
  if (protocol === undefined) {
    if (places.length > 0) skip("only TCP and UDP ports are supported");
    return false;
  }
  let isOpen = false;
  for (const place of places.slice(0, MOST_PLACES)) {
    const binding = isObject(place) ? place : {};
    const number = portNumberIn(textAt(binding, "HostPort"));
    const reason =
      number === null
        ? "the number of its port is not from 1 to 65535"
        : machine.open(placeOf(textAt(binding, "HostIp")), { line, protocol, number, service });
    if (reason === null) isOpen = true;
    else skip(reason);
  }
  return isOpen;
}

/** Where a port is published, or why it is not reachable. @param written empty for all addresses */
export function placeOf(written: string): PortPlace {
  if (written === "" || written === "0.0.0.0" || written === "::") return { ip: null };
  const ip = addressIn(written);
  if (ip === null) return { reason: "its address is not an IP address" };
  if (isLoopback(ip)) return { reason: "it is published on the loopback address only" };
  return isLinkLocal(ip) ? { reason: "its address is link-local" } : { ip };
}

function nameOf(entry: JsonObject): string {
  return (
    clip(textAt(entry, "Name").replace(/^\//, ""), LONGEST_NAME) ??
    clip(textAt(entry, "Id").slice(0, 12)) ??
    "without a name"
  );
}

/** What is kept of a container, with its longest length. */
function textsOf(entry: JsonObject): readonly (readonly [what: string, text: string, most: number])[] {
  return [
    ["name", textAt(entry, "Name").replace(/^\//, ""), LONGEST_NAME],
    ["image", textAt(objectAt(entry, "Config"), "Image"), LONGEST_IMAGE],
  ];
}

function serviceOf(entry: JsonObject, name: string): SeenService {
  return containerService(name, textAt(objectAt(entry, "Config"), "Image"), typeOf(entry));
}

/** The service of an image: it has the given name, and the image alone says what it is. */
export function imageService(name: string, written: string): SeenService {
  const image = imageIn(written);
  const known = serviceOfImage(image);
  return {
    version: tagIn(written),
    name: known?.name ?? image,
    product: name,
    kind: known?.product ?? image,
    isOfImage: true,
    isWrapped: false,
    isProbed: true,
  };
}

/** The service of a container, which has its name and says what it runs on. */
export function containerService(name: string, written: string, type: string): SeenService {
  const image = clip(written, LONGEST_IMAGE);
  const details = { container: name, ...(image !== null && { image }) };
  return { ...imageService(name, written), virtualization: { type, runner: null, details } };
}

/** The image's base name; null if missing or meaningless. */
function imageIn(written: string): string | null {
  const [path = ""] = written.slice(0, 500).split("@", 1);
  const parts = path.split("/").map((part) => part.split(":", 1)[0] ?? "");
  // Rancher's copies of other images begin like this.
  const last = parts.at(-1)?.replace(/^mirrored-library-/, "") ?? "";
  const image = SAYS_NOTHING.has(last) ? (parts.at(-2) ?? "") : last;
  // An image without a name is written as its checksum.
  return /^(?:sha256|[\da-f]{12,64})$/.test(image) ? null : clip(ALIASES.get(image) ?? image.replaceAll("-", " "), 100);
}

/** The tag of an image, if it is a version; `latest` is none. */
function tagIn(written: string): string | null {
  const [path = ""] = written.slice(0, 500).split("@", 1);
  const tag = /:([^:/]{1,100})$/.exec(path)?.[1] ?? "";
  return /^v?\d/.test(tag) ? tag : null;
}
