import type { Binding, BindingInput } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";

// The binding rules of a service. What comes out is a set that does not depend on the order asked. @see spec § 4.1

/** Ids that bindings of one host may point at. */
export interface HostInventory {
  readonly ports: readonly string[];
  readonly interfaces: readonly string[];
}

type PortBindingInput = Extract<BindingInput, { type: "Port" }>;

/** A request's binding with its place in the request, for error messages. */
interface Placed {
  readonly binding: BindingInput;
  readonly index: number;
}

// A thousand bindings can conflict in 250,000 pairs; nobody reads on after this many.
const MOST_PAIRS = 1000;

/**
 * Applies the binding rules to what a caller asked for: every port and interface is of the host; duplicates go; a port
 * bound on all interfaces removes its bindings on single ones; an interface binding and a port binding may not meet.
 *
 * @throws AppError `binding_cross_host` with every binding that names a port or interface of another host
 * @throws AppError `binding_conflict` with every pair that meets on an interface
 * @see spec § 4.1 (in this order)
 */
export function resolveBindings(requested: readonly BindingInput[], host: HostInventory): BindingInput[] {
  const placed = requested.map((binding, index) => ({ binding, index }));
  refuse("binding_cross_host", foreignIn(placed, host));
  const kept = withoutShadowed(withoutDuplicates(placed));
  refuse("binding_conflict", conflictsIn(kept));
  return kept.map(({ binding }) => binding);
}

/** The same for two bindings that say the same. */
export function keyOf(binding: BindingInput): string {
  return binding.type === "Interface"
    ? `interface ${binding.interface_id}`
    : `port ${binding.port_id} ${binding.interface_id ?? "all"}`;
}

export interface BindingOwner {
  readonly serviceId: string;
  readonly networkId: string;
  readonly now: string;
  readonly newId: () => string;
}

/** The bindings to store: one that stays what it was keeps its id and times; new ones follow in an order of their own. */
export function bindingsOf(
  resolved: readonly BindingInput[],
  current: readonly Binding[],
  owner: BindingOwner,
): Binding[] {
  const wanted = new Map(resolved.map((binding) => [keyOf(binding), binding]));
  const kept = current.filter((binding) => wanted.delete(keyOf(binding)));
  const added = [...wanted.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...kept, ...added.map(([, binding]) => bindingOf(binding, owner))];
}

/** The bindings of a service without those that name one of the ids, which are being deleted. */
export function withoutTargets<B extends BindingInput>(bindings: readonly B[], deleted: ReadonlySet<string>): B[] {
  return bindings.filter(
    (binding) => !deleted.has(binding.interface_id ?? "") && !(binding.type === "Port" && deleted.has(binding.port_id)),
  );
}

function bindingOf(binding: BindingInput, { serviceId, networkId, now, newId }: BindingOwner): Binding {
  const owned = { id: newId(), created_at: now, updated_at: now, service_id: serviceId, network_id: networkId };
  return binding.type === "Interface"
    ? { ...owned, type: "Interface", interface_id: binding.interface_id }
    : { ...owned, type: "Port", port_id: binding.port_id, interface_id: binding.interface_id };
}

function foreignIn(placed: readonly Placed[], host: HostInventory): object[] {
  const ports = new Set(host.ports);
  const interfaces = new Set(host.interfaces);
  return placed.flatMap(({ binding, index }) => {
    const foreign = {
      ...(binding.type === "Port" && !ports.has(binding.port_id) && { port_id: binding.port_id }),
      ...(binding.interface_id !== null &&
        !interfaces.has(binding.interface_id) && { interface_id: binding.interface_id }),
    };
    return Object.keys(foreign).length === 0 ? [] : [{ index, type: binding.type, ...foreign }];
  });
}

function withoutDuplicates(placed: readonly Placed[]): Placed[] {
  const first = new Map<string, Placed>();
  for (const one of placed) if (!first.has(keyOf(one.binding))) first.set(keyOf(one.binding), one);
  return [...first.values()];
}

/** A port bound on all interfaces makes its bindings on single ones redundant. */
function withoutShadowed(placed: readonly Placed[]): Placed[] {
  const everywhere = new Set(placed.flatMap(({ binding }) => (isOnAllInterfaces(binding) ? [binding.port_id] : [])));
  return placed.filter(
    ({ binding }) => binding.type === "Interface" || binding.interface_id === null || !everywhere.has(binding.port_id),
  );
}

function conflictsIn(placed: readonly Placed[]): object[] {
  const pairs: object[] = [];
  for (const one of placed) {
    if (one.binding.type !== "Interface") continue;
    for (const other of placed) {
      if (other.binding.type !== "Port" || !meets(other.binding, one.binding.interface_id)) continue;
      pairs.push({
        index: one.index,
        interface_id: one.binding.interface_id,
        conflicts_with: other.index,
        port_id: other.binding.port_id,
      });
      if (pairs.length === MOST_PAIRS) return pairs;
    }
  }
  return pairs;
}

function meets(port: PortBindingInput, interfaceId: string): boolean {
  return port.interface_id === null || port.interface_id === interfaceId;
}

function isOnAllInterfaces(binding: BindingInput): binding is PortBindingInput {
  return binding.type === "Port" && binding.interface_id === null;
}

function refuse(code: "binding_cross_host" | "binding_conflict", violations: readonly object[]): void {
  if (violations.length > 0) throw new AppError(code, { violations });
}
