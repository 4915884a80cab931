/** Hosts as scans see them, and what becomes of them, for the tests of plans. */
import type { HostRecord, Interface, Port, Service } from "@nts/shared/contract";
import { blockAround } from "../../values/addresses.js";
import { makersOf } from "../makers.rules.js";
import { planHost, type Planned, type PlannedHost, type Recognized } from "../plan.rules.js";
import { RECIPES } from "../recipes.js";
import type { SeenHost, SeenPort, SeenService } from "../scan.rules.js";

/** A MAC address of no other host. */
export const MAC = "02:00:00:00:00:0A";

export const MAKERS = makersOf(RECIPES);

let made = 0;
const planning = {
  networkId: "network",
  now: "2026-02-16T09:30:00.000Z",
  by: "nmap",
  newId: () => `id${String(made++).padStart(6, "0")}`,
  make: MAKERS,
  placeOf: (ip: string) => ({ id: "subnet", cidr: blockAround(ip, 24) }),
  cidrOf: () => undefined,
  runnerOf: () => null,
  namesakeOf: () => null,
  tagOf: (name: string) => name,
  vendorOf: () => null,
  superseded: [],
  lost: new Set<string>(),
  doubts: [],
};

/** Plans a host, in one subnet. */
export const plan = (seen: SeenHost, known: Recognized | null = null, by = planning.by): PlannedHost =>
  planHost(seen, known, { ...planning, by });

/** A port where it was seen, and what was said of it. */
export type SeenAt = readonly [ip: string, port: string, service?: Partial<SeenService> | undefined];
type Seen = string | SeenAt;

/** A host with ports such as `22/Tcp`, seen at its first address unless one is named. */
export function seenHost(ips: readonly string[], ports: readonly Seen[] = [], more: Partial<SeenHost> = {}): SeenHost {
  const addresses = ips.map((ip) => ({ ip, mac: null }));
  return { line: 7, addresses, hostname: null, vendor: null, ports: ports.map((port) => seenPort(port, ips)), ...more };
}

function seenPort(given: Seen, ips: readonly string[]): SeenPort {
  const [ip, text, more] = typeof given === "string" ? [ips[0] ?? "", given] : given;
  const [number, protocol] = text.split("/") as [string, SeenPort["protocol"]];
  const service = { name: null, product: null, isWrapped: false, isProbed: true, ...more };
  return { line: 9, ip, protocol, number: Number(number), service: more === undefined ? null : service };
}

/** What there is after a plan has been carried out. */
export function after(
  { entity, interfaces, ports, services }: PlannedHost,
  before: Recognized | null = null,
): Recognized {
  const merged = <T extends { id: string }>(there: readonly { entity: T }[] = [], planned: readonly Planned<T>[]) => {
    const all = new Map([...there, ...planned].map((one) => [one.entity.id, { entity: one.entity, revision: 1 }]));
    return [...all.values()];
  };
  return {
    by: "ip_address",
    host: { entity, revision: 1 },
    interfaces: merged<Interface>(before?.interfaces, interfaces),
    ports: merged<Port>(before?.ports, ports),
    services: merged<Service>(before?.services, services),
  };
}

/** Services with their bindings, such as `SSH: 22/Tcp@10.0.0.1`. */
export function servicesOf({ interfaces, ports, services }: Recognized): string[] {
  const portOf = new Map(ports.map(({ entity }) => [entity.id, `${entity.number}/${entity.protocol}`]));
  const ipOf = new Map(interfaces.map(({ entity }) => [entity.id, entity.ip_address]));
  return services.map(({ entity }) => {
    const bindings = entity.bindings.map((binding) =>
      binding.type === "Port"
        ? `${portOf.get(binding.port_id) ?? "?"}@${ipOf.get(binding.interface_id ?? "") ?? "all"}`
        : `@${ipOf.get(binding.interface_id) ?? "?"}`,
    );
    return `${entity.name}: ${bindings.sort().join(" ")}`;
  });
}

/** The same with what a person has made of it. */
export function edited(
  known: Recognized,
  edit: (service: Service) => Partial<Service>,
  host: Partial<HostRecord> = {},
): Recognized {
  const services = known.services.map(({ entity }) => ({ entity: { ...entity, ...edit(entity) }, revision: 2 }));
  return { ...known, services, host: { entity: { ...known.host.entity, ...host }, revision: 2 } };
}
