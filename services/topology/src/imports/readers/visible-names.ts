import { visiblePart } from "@nts/shared/contract/formats";
import { isPacked } from "../packed-hosts.rules.js";
import type { Scan, SeenHost, SeenPort, SeenService, Skipped } from "../scan.rules.js";
import { hostnameIn } from "./texts.js";

// A name that could not be written by a request is imported without its invisible characters, whatever its format.

/** A scan whose names are valid; `skipped` gets those that lose something. */
export function withVisibleNames(scan: Scan): Scan {
  return { ...scan, hosts: scan.hosts.map((host) => hostWithVisibleNames(host, scan.skipped)) };
}

/** The same for a host. One that is packed is as it should be. */
export function hostWithVisibleNames(host: SeenHost, skipped: Skipped): SeenHost {
  if (isPacked(host) || hasVisibleNames(host)) return host;
  const { line, name, hostname, ports, workloads } = host;
  const clean = createCleaner(line, skipped);
  const cleanName = clean(name ?? null);
  const cleanHostname = clean(hostname);
  return {
    ...host,
    ...(name !== undefined && { name: cleanName }),
    hostname: cleanHostname === hostname ? hostname : hostnameIn(cleanHostname ?? ""),
    ports: ports.map((port) => portWithVisibleNames(port, skipped)),
    ...(workloads !== undefined && {
      workloads: workloads.map((one) => ({
        ...one,
        service: serviceWithVisibleNames(one.service, one.line, skipped),
      })),
    }),
  };
}

export function hasVisibleNames(host: SeenHost): boolean {
  return namesIn(host).every((text) => text === visiblePart(text));
}

/** All texts that are cleaned. */
function namesIn({ name = null, hostname, ports, workloads = [] }: SeenHost): string[] {
  const services = [...ports.map(({ service }) => service), ...workloads.map(({ service }) => service)];
  const ofServices = services.flatMap((one) =>
    one === null ? [] : [one.name, one.product, one.kind ?? null, one.definition ?? null],
  );
  return [name, hostname, ...ofServices].filter((text) => text !== null);
}

function portWithVisibleNames(port: SeenPort, skipped: Skipped): SeenPort {
  const { service, line } = port;
  return service === null ? port : { ...port, service: serviceWithVisibleNames(service, line, skipped) };
}

function serviceWithVisibleNames(service: SeenService, line: number, skipped: Skipped): SeenService {
  const { name, product, kind, definition } = service;
  const clean = createCleaner(line, skipped);
  return {
    ...service,
    name: clean(name),
    product: clean(product),
    ...(kind !== undefined && { kind: clean(kind) }),
    ...(definition !== undefined && { definition: clean(definition) }),
  };
}

/** Removes invisible characters; null if nothing else is left. The same text is listed once. */
function createCleaner(line: number, skipped: Skipped): (text: string | null) => string | null {
  const listed = new Set<string>();
  return (text) => {
    if (text === null) return null;
    const visible = visiblePart(text);
    if (visible === text) return text;
    if (!listed.has(text)) {
      if (visible === "") skipped.add(line, "a name", "nothing in it is visible");
      else skipped.add(line, `name ${visible}`, "it is imported without its invisible characters");
    }
    listed.add(text);
    return visible === "" ? null : visible;
  };
}
