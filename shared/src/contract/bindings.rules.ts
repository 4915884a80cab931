import type { BindingInput } from "./bindings.js";

// The binding rules of a service, as a verdict on a request: topology enforces it, and an editor shows it before anything is
// sent. The verdict does not depend on the order of the request, but for the places that it names. @see docs/api.md "Bindings"

/** Ids that bindings of one host may point at. */
export interface HostInventory {
  readonly ports: readonly string[];
  readonly interfaces: readonly string[];
}

/** A binding that is left out: it says the same as another one, or less than one of its port on all interfaces. */
export interface RemovedBinding {
  readonly index: number;
  readonly because: "duplicate" | "all_interfaces";
  /** The place of the one that stays. */
  readonly of: number;
}

/** A binding that names a port or interface of another host; only the foreign ids are told. */
export interface ForeignBinding {
  readonly index: number;
  readonly type: BindingInput["type"];
  readonly port_id?: string;
  readonly interface_id?: string;
}

/** An interface binding (at `index`) and a port binding (at `conflicts_with`) that meet on an interface. */
export interface BindingConflict {
  readonly index: number;
  readonly interface_id: string;
  readonly conflicts_with: number;
  readonly port_id: string;
}

/** What becomes of requested bindings, each by its place in the request. */
export interface BindingVerdict {
  /** Refuses all of it. */
  readonly foreign: readonly ForeignBinding[];
  readonly removed: readonly RemovedBinding[];
  /** Refuse all of it; looked for when nothing is foreign. */
  readonly conflicts: readonly BindingConflict[];
  readonly kept: readonly BindingInput[];
}

type PortBindingInput = Extract<BindingInput, { type: "Port" }>;

/** A request's binding with its place in the request. */
interface Placed {
  readonly binding: BindingInput;
  readonly index: number;
}

// A thousand bindings can conflict in 250,000 pairs; more than this many are not listed.
const MOST_PAIRS = 1000;

/** Judges what a caller asks for a service of the host that it was made for. */
export type BindingJudge = (requested: readonly BindingInput[]) => BindingVerdict;

/**
 * Makes the judge of a host: every port and interface must be of the host; duplicates go; a port bound on all interfaces
 * removes its bindings on single ones; an interface binding and a port binding may not meet.
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
  const duplicates = duplicatesIn(placed);
  const different = without(placed, duplicates);
  const shadowed = shadowedIn(different);
  const kept = without(different, shadowed);
  return {
    foreign,
    removed: [...duplicates, ...shadowed],
    conflicts: foreign.length > 0 ? [] : conflictsIn(kept),
    kept: kept.map(({ binding }) => binding),
  };
}

/** The same for two bindings that say the same. */
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

/** The port bindings of each interface with their places; those on all interfaces under null. */
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
