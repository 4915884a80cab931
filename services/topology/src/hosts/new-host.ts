import {
  type BindingInput,
  type Host,
  type HostCreate,
  type HostRecord,
  type Interface,
  NEXT_ADDRESS,
  type Port,
  type Service,
} from "@nts/shared/contract";
import { NEVER_SEEN } from "@nts/shared/contract/sightings";
import { AppError, validationFailed, type Fault } from "@nts/shared/errors";
import { parseAddress } from "../values/addresses.js";
import { portType } from "../values/well-known-ports.rules.js";
import { placeAll } from "./positions.rules.js";
import { bindingsOf, judgeOfNew, resolveBindings } from "./bindings.rules.js";
import { hostKind } from "../kinds/host.js";
import { interfaceKind } from "../kinds/interface.js";
import { portKind } from "../kinds/port.js";
import { serviceKind } from "../kinds/service.js";

/** A new host with its children. */
export interface NewHost {
  readonly host: HostRecord;
  readonly interfaces: readonly Interface[];
  readonly ports: readonly Port[];
  readonly services: readonly Service[];
}

export interface Making {
  readonly now: string;
  readonly newId: () => string;
  /** The source of the host, such as `Manual`. */
  readonly source: string;
}

/**
 * Builds a host and its children from a body. A child's `id` is local to the body, for use in bindings, and is
 * replaced.
 *
 * @throws AppError `validation_failed` for a duplicate local id · `binding_cross_host` · `binding_conflict`
 */
export function newHostOf(body: HostCreate, { now, newId, source }: Making): NewHost {
  refuseRepeatedNames(body);
  const made = { created_at: now, updated_at: now, network_id: body.network_id };
  const host = hostKind.make(body, { id: newId(), ...made, source: { type: source } });
  const owned = { ...made, host_id: host.id };
  const interfacePositions = placeAll(body.interfaces.map(({ position }) => position));
  const interfaces = body.interfaces.map((given, index) =>
    interfaceKind.make(given, {
      ...owned,
      id: newId(),
      ip_address: given.ip_address === NEXT_ADDRESS ? NEXT_ADDRESS : parseAddress(given.ip_address).text,
      subnet_id: given.subnet_id,
      mac_address: given.mac_address ?? null,
      position: interfacePositions[index] ?? index,
    }),
  );
  const ports = body.ports.map((given) =>
    portKind.make(given, { ...owned, id: newId(), type: portType(given.number, given.protocol) }),
  );

  const services = servicesOf(body, { host, interfaces, ports }, { now, newId, source });
  return { host, interfaces, ports, services };
}

/** The services of the body, bound to the new host's ports and interfaces. */
function servicesOf(
  body: HostCreate,
  { host, interfaces, ports }: Omit<NewHost, "services">,
  { now, newId, source }: Making,
): Service[] {
  const idOf = new Map<string, string>();
  body.interfaces.forEach(({ id }, index) => id !== undefined && idOf.set(id, interfaces[index]?.id ?? id));
  body.ports.forEach(({ id }, index) => id !== undefined && idOf.set(id, ports[index]?.id ?? id));
  const named = (id: string): string => idOf.get(id) ?? id;
  const resolved = resolveAll(body);
  const positions = placeAll(body.services.map(({ position }) => position));
  return body.services.map((given, index): Service => {
    const id = newId();
    const bindings = (resolved[index] ?? []).map((binding) => withIds(binding, named));
    return serviceKind.make(given, {
      id,
      created_at: now,
      updated_at: now,
      network_id: host.network_id,
      host_id: host.id,
      bindings: bindingsOf(bindings, [], { serviceId: id, networkId: host.network_id, now, newId }),
      position: positions[index] ?? index,
      source: { type: source },
    });
  });
}

/** A binding with local ids replaced by generated ones. */
function withIds(binding: BindingInput, idOf: (name: string) => string): BindingInput {
  if (binding.type === "Interface") return { ...binding, interface_id: idOf(binding.interface_id) };
  const { port_id, interface_id } = binding;
  return { ...binding, port_id: idOf(port_id), interface_id: interface_id === null ? null : idOf(interface_id) };
}

/** A new host as returned to clients. */
export function hostResponse({ host, interfaces, ports, services }: NewHost): Host {
  const unseen = <T>(entities: readonly T[]): T[] => entities.map((entity) => ({ ...entity, ...NEVER_SEEN }));
  return {
    ...host,
    ...NEVER_SEEN,
    interfaces: unseen(interfaces).sort((a, b) => a.position - b.position),
    ports: unseen(ports).sort((a, b) => a.number - b.number || (a.protocol < b.protocol ? -1 : 1)),
    services: unseen(services).sort((a, b) => a.position - b.position),
  };
}

function refuseRepeatedNames(body: HostCreate): void {
  const seen = new Set<string>();
  const faults: Fault[] = [];
  for (const list of ["interfaces", "ports"] as const)
    body[list].forEach(({ id }, index) => {
      if (id === undefined) return;
      if (seen.has(id)) faults.push({ path: `${list}.${index}.id`, message: "is the local name of another child too" });
      seen.add(id);
    });
  if (faults.length > 0) throw validationFailed(...faults);
}

/** Resolves the bindings of each service; cross-host errors take precedence, and are all reported. */
function resolveAll(body: HostCreate) {
  const judge = judgeOfNew(body);
  const violations = { binding_cross_host: [] as unknown[], binding_conflict: [] as unknown[] };
  const resolved = body.services.map(({ bindings }, service) => {
    try {
      return resolveBindings(bindings, judge);
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== "binding_cross_host" && error.code !== "binding_conflict"))
        throw error;
      const found = error.params["violations"] as object[];
      violations[error.code].push(...found.map((violation) => ({ service, ...violation })));
      return [];
    }
  });
  for (const code of ["binding_cross_host", "binding_conflict"] as const)
    if (violations[code].length > 0) throw new AppError(code, { violations: violations[code] });
  return resolved;
}

/** The addresses of a new host's interfaces, with their paths in the request. */
export function addressesOf<T extends Pick<Interface, "ip_address" | "subnet_id">>(
  interfaces: readonly T[],
): (T & { readonly prefix: string })[] {
  return interfaces.map((one, index) => ({ ...one, prefix: `interfaces.${index}.` }));
}
