import type { BindingInput, GuessSource, Port, Service } from "@nts/shared/contract";
import { MOST_BINDINGS } from "@nts/shared/contract/sizes";
import { putUnder } from "@nts/shared/groups";
import type { Stored } from "../storage/entities.js";
import { type Guess, isUsual } from "./guess.rules.js";
import type { SeenPort, Workload } from "./scan.rules.js";
import type { SeenAt } from "./plan-services.rules.js";

// Services of a host while a plan adds bindings. There may be a thousand services and forty thousand endpoints, so they
// are indexed by port, interface and definition.

/** A service being extended. */
export interface Draft {
  readonly before: Stored<Service> | null;
  readonly id: string;
  readonly name: string;
  readonly definition: string;
  readonly isDiscovered: boolean;
  readonly guessedFrom: GuessSource | null;
  readonly bindings: BindingInput[];
  /** By its text. */
  readonly seenAt: Map<string, SeenAt>;
  readonly added: string[];
  /** What the file shows of it. */
  readonly seen: SeenPort[];
  /** What the file shows of it without a port. */
  readonly workloads: Workload[];
}

export interface Drafts {
  all(): readonly Draft[];
  /**
   * The first one on the port at the interface, or to which a person has assigned the port.
   *
   * @param interfaceId null for all interfaces
   */
  listening(portId: string, interfaceId: string | null): Draft | null;
  /** The first imported one to which the port belongs. */
  joinable(port: Port, interfaceId: string | null, guess: Guess | null): Draft | null;
  /** The imported one that a workload is: with its name, or on the network of its host the only one of its kind. */
  running(workload: Workload, guess: Guess): Draft | null;
  add(guess: Guess, id: string): Draft;
  bind(draft: Draft, binding: BindingInput): void;
}

/** A draft with its binding state. */
interface Entry {
  readonly draft: Draft;
  readonly order: number;
  /** Interfaces with an interface binding. */
  readonly interfaces: Set<string>;
  readonly numbers: Set<number>;
  /** One of its ports is typical for its definition. */
  hasUsual: boolean;
}

interface Surroundings {
  /** Ports of the host by id. */
  readonly numberOf: ReadonlyMap<string, Port>;
  /** Interfaces whose bindings no longer count. */
  readonly lost: ReadonlySet<string>;
}

export function createDrafts(services: readonly Stored<Service>[], { numberOf, lost }: Surroundings): Drafts {
  const entries: Entry[] = [];
  const entryOf = new Map<Draft, Entry>();
  /** The first by `port` on any interface, and by `port interface`. */
  const first = new Map<string, Entry>();
  const byPort = new Map<string, Entry[]>();
  const byKind = new Map<string, Entry[]>();

  function enter(draft: Draft): Draft {
    const entry: Entry = { draft, order: entries.length, interfaces: new Set(), numbers: new Set(), hasUsual: false };
    entries.push(entry);
    entryOf.set(draft, entry);
    putUnder(byKind, kindOf(draft), entry);
    for (const binding of draft.bindings) index(entry, binding);
    return draft;
  }

  function index(entry: Entry, binding: BindingInput): void {
    if (binding.type === "Interface") {
      entry.interfaces.add(binding.interface_id);
      return;
    }
    const { port_id: portId, interface_id: interfaceId } = binding;
    const isAnywhere = interfaceId === null || !entry.draft.isDiscovered;
    const key = isAnywhere ? portId : `${portId} ${interfaceId}`;
    if ((first.get(key)?.order ?? Infinity) > entry.order) first.set(key, entry);
    if (byPort.get(portId)?.at(-1) !== entry) putUnder(byPort, portId, entry);
    const port = numberOf.get(portId);
    if (port === undefined) return;
    entry.numbers.add(port.number);
    entry.hasUsual ||= isUsual(entry.draft.definition, port);
  }

  const isOpen = ({ draft, interfaces }: Entry, interfaceId: string | null): boolean =>
    draft.isDiscovered &&
    draft.bindings.length < MOST_BINDINGS &&
    (interfaceId === null ? interfaces.size === 0 : !interfaces.has(interfaceId));

  for (const service of services) enter(draftOf(service, lost));
  return {
    all: () => entries.map(({ draft }) => draft),
    listening: (portId, interfaceId) => {
      const anywhere = first.get(portId);
      const here = first.get(`${portId} ${interfaceId ?? ""}`);
      if (anywhere === undefined || here === undefined) return (anywhere ?? here)?.draft ?? null;
      return (anywhere.order < here.order ? anywhere : here).draft;
    },
    joinable: (port, interfaceId, guess) => {
      const ofSamePort = byPort.get(port.id)?.find((entry) => isOpen(entry, interfaceId));
      if (ofSamePort !== undefined || guess === null) return ofSamePort?.draft ?? null;
      const candidates = byKind.get(kindOf(guess)) ?? [];
      return candidates.find((entry) => isOpen(entry, interfaceId) && isOneService(entry, guess, port))?.draft ?? null;
    },
    running: ({ isOnHostNetwork }, guess) => {
      const [named] = (byKind.get(kindOf(guess)) ?? []).filter(({ draft }) => draft.isDiscovered);
      if (named !== undefined || !isOnHostNetwork) return named?.draft ?? null;
      const [only, another] = entries.filter(
        ({ draft }) => draft.isDiscovered && draft.definition === guess.definition && draft.workloads.length === 0,
      );
      return another === undefined ? (only?.draft ?? null) : null;
    },
    add: (guess, id) => enter(newDraft(guess, id)),
    bind: (draft, binding) => {
      draft.bindings.push(binding);
      const entry = entryOf.get(draft);
      if (entry !== undefined) index(entry, binding);
    },
  };
}

/**
 * Ports belong to one service if they have the same product or number, or are all typical for the definition. A service
 * without bindings, because its port was deleted, is reused.
 */
function isOneService({ draft, numbers, hasUsual }: Entry, guess: Guess, port: Port): boolean {
  if (draft.bindings.length === 0) return true;
  if (guess.isProduct) return numbers.size > 0;
  return numbers.has(port.number) || (hasUsual && isUsual(draft.definition, port));
}

function kindOf({ definition, name }: { readonly definition: string; readonly name: string }): string {
  return `${definition}\n${name}`;
}

function draftOf(service: Stored<Service>, lost: ReadonlySet<string>): Draft {
  const { id, name, service_definition: definition, source, bindings } = service.entity;
  const isDiscovered = source.type === "Discovery";
  const kept = bindings.filter(({ interface_id: interfaceId }) => interfaceId === null || !lost.has(interfaceId));
  return {
    before: service,
    id,
    name,
    definition,
    isDiscovered,
    guessedFrom: null,
    bindings: kept,
    seenAt: new Map(),
    added: [],
    seen: [],
    workloads: [],
  };
}

function newDraft({ definition, name, from }: Guess, id: string): Draft {
  return {
    before: null,
    id,
    name,
    definition,
    isDiscovered: true,
    guessedFrom: from,
    bindings: [],
    seenAt: new Map(),
    added: [],
    seen: [],
    workloads: [],
  };
}
