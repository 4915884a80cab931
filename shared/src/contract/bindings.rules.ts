import type { BindingInput } from "./bindings.js";

// Binding rules of a service, shared so that topology enforces them and the editor can show the result before submitting. Apart
// from the indexes it reports, the verdict does not depend on the order of the bindings. @see docs/api.md "Bindings"

/** Ids that bindings of one host may reference. */
export interface HostInventory {
  readonly ports: readonly string[];
  readonly interfaces: readonly string[];
}

/** A binding dropped because it duplicates another, or is covered by one of its port on all interfaces. */
export interface RemovedBinding {
  readonly index: number;
  readonly because: "duplicate" | "all_interfaces";
  /** Index of the binding that is kept. */
  readonly of: number;
}

/** A binding that references a port or interface of another host; contains only the foreign ids. */
export interface ForeignBinding {
  readonly index: number;
  readonly type: BindingInput["type"];
  readonly port_id?: string;
  readonly interface_id?: string;
}

/** An interface binding (at `index`) and a port binding (at `conflicts_with`) on the same interface. */
export interface BindingConflict {
  readonly index: number;
  readonly interface_id: string;
  readonly conflicts_with: number;
  readonly port_id: string;
}

/** The outcome for requested bindings, identified by their index in the request. */
export interface BindingVerdict {
  /** If not empty, the request is rejected. */
  readonly foreign: readonly ForeignBinding[];
  readonly removed: readonly RemovedBinding[];
  /** If not empty, the request is rejected. Only computed when no binding is foreign. */
  readonly conflicts: readonly BindingConflict[];
  readonly kept: readonly BindingInput[];
}

type PortBindingInput = Extract<BindingInput, { type: "Port" }>;

/** A requested binding with its index in the request. */
interface Placed {
  readonly binding: BindingInput;
  readonly index: number;
}

/** Listed conflicts of a service: a thousand bindings can form 250,000 pairs. */
export const MOST_PAIRS = 1000;

/** Evaluates the requested bindings of a service on one host. */
export type BindingJudge = (requested: readonly BindingInput[]) => BindingVerdict;

/**
 * Creates the judge for a host: every port and interface must belong to the host; duplicates are dropped; a port bound on all
 * interfaces replaces its bindings on single ones; an interface binding and a port binding must not share an interface.
 */
export function bindingJudge({ ports, interfaces }: HostInventory): BindingJudge {
  const own: OwnIds = { ports: new Set(ports), interfaces: new Set(interfaces) };
  return (requested) => judged(requested, own);
}

interface OwnIds {
  readonly ports: ReadonlySet<string>;
  readonly interfaces: ReadonlySet<string>;
}

function judged(requested: readonly BindingInput[], own: OwnIds): BindingVerdict {
  const placed = requested.map((binding, index) => ({ binding, index }));
  const foreign = foreignIn(placed, own);
  const { removed, kept } = reduced(placed);
  return {
    foreign,
    removed,
    conflicts: foreign.length > 0 ? [] : conflictsIn(kept),
    kept: kept.map(({ binding }) => binding),
  };
}

/** How many of the requested bindings are kept, if the host allows them. */
export function keptCount(requested: readonly BindingInput[]): number {
  return reduced(requested.map((binding, index) => ({ binding, index }))).kept.length;
}

function reduced(placed: readonly Placed[]) {
  // Most services have one.
  if (placed.length < 2) return { removed: [], kept: placed };
  const duplicates = duplicatesIn(placed);
  const different = without(placed, duplicates);
  const shadowed = shadowedIn(different);
  return { removed: [...duplicates, ...shadowed], kept: without(different, shadowed) };
}

/** Equal for equivalent bindings. */
export function bindingKey(binding: BindingInput): string {
  return binding.type === "Interface"
    ? `interface ${binding.interface_id}`
    : `port ${binding.port_id} ${binding.interface_id ?? "all"}`;
}

function foreignIn(placed: readonly Placed[], { ports, interfaces }: OwnIds): ForeignBinding[] {
  return placed.flatMap(({ binding, index }) => {
    const foreign = {
      ...(binding.type === "Port" && !ports.has(binding.port_id) && { port_id: binding.port_id }),
      ...(binding.interface_id !== null &&
        !interfaces.has(binding.interface_id) && { interface_id: binding.interface_id }),
    };
    return Object.keys(foreign).length === 0 ? [] : [{ index, type: binding.type, ...foreign }];
  });
}

function duplicatesIn(placed: readonly Placed[]): RemovedBinding[] {
  const first = new Map<string, number>();
  return placed.flatMap(({ binding, index }) => {
    const key = bindingKey(binding);
    const of = first.get(key);
    if (of === undefined) first.set(key, index);
    return of === undefined ? [] : [{ index, because: "duplicate", of } as const];
  });
}

/** A port bound on all interfaces makes its bindings on single ones redundant. */
function shadowedIn(placed: readonly Placed[]): RemovedBinding[] {
  const everywhere = new Map(
    placed.flatMap(({ binding, index }) => (isOnAllInterfaces(binding) ? [[binding.port_id, index] as const] : [])),
  );
  return placed.flatMap(({ binding, index }) => {
    const of = binding.type === "Port" && binding.interface_id !== null ? everywhere.get(binding.port_id) : undefined;
    return of === undefined ? [] : [{ index, because: "all_interfaces", of } as const];
  });
}

function conflictsIn(placed: readonly Placed[]): BindingConflict[] {
  const meeting = portBindingsByInterface(placed);
  const pairs: BindingConflict[] = [];
  for (const { binding, index } of placed) {
    if (binding.type !== "Interface") continue;
    const { interface_id } = binding;
    const others = [...(meeting.get(null) ?? []), ...(meeting.get(interface_id) ?? [])];
    for (const { port_id, at } of others.sort((one, other) => one.at - other.at)) {
      pairs.push({ index, interface_id, conflicts_with: at, port_id });
      if (pairs.length === MOST_PAIRS) return pairs;
    }
  }
  return pairs;
}

/** Port bindings with their indexes, by interface id; null is the key for all interfaces. */
function portBindingsByInterface(placed: readonly Placed[]) {
  const found = new Map<string | null, { port_id: string; at: number }[]>();
  for (const { binding, index } of placed) {
    if (binding.type !== "Port") continue;
    const { interface_id, port_id } = binding;
    const known = found.get(interface_id);
    if (known === undefined) found.set(interface_id, [{ port_id, at: index }]);
    else known.push({ port_id, at: index });
  }
  return found;
}

function without(placed: readonly Placed[], removed: readonly RemovedBinding[]): readonly Placed[] {
  const gone = new Set(removed.map(({ index }) => index));
  return placed.filter(({ index }) => !gone.has(index));
}

function isOnAllInterfaces(binding: BindingInput): binding is PortBindingInput {
  return binding.type === "Port" && binding.interface_id === null;
}
