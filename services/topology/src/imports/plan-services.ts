import type { BindingInput, GuessSource, Interface, Port, Service } from "@nts/shared/contract";
import { bindingsOf, resolveBindings } from "../services/bindings.js";
import { type Guess, guessOf, isUsual } from "./guess.js";
import type { LeaveOut, Owned, Planned, Planning, Recognized } from "./plan.js";
import { portText, type SeenPort } from "./scan.js";

// Which services stand behind the open ports of a host. A scan of one address says that a port is open at that address and
// no more: a binding of an import is that of the port on the interface with the address, never on all interfaces. Whatever
// is bound to the port there counts as what answers; so does a service that a person has bound to the port elsewhere.

/** Bindings that a service may have. */
const MOST_BINDINGS = 1_000;

export interface SeenAt {
  readonly ip_address: string;
  readonly protocol: Port["protocol"];
  readonly number: number;
}

export interface PlannedService extends Planned<Service> {
  /** Null for one that was there. */
  readonly guessedFrom: GuessSource | null;
  /** Where the scan has seen it. */
  readonly seenAt: readonly SeenAt[];
  /** Bindings that it gets, as text. */
  readonly added: readonly string[];
}

export interface ServicePlanning {
  readonly known: Recognized | null;
  readonly interfaces: readonly Planned<Interface>[];
  readonly ports: readonly Planned<Port>[];
  readonly owned: Owned;
  readonly planning: Planning;
  readonly leaveOut: LeaveOut;
}

/** A service while bindings are added to it. */
interface Draft {
  readonly before: Planned<Service>["before"];
  readonly id: string;
  readonly name: string;
  readonly definition: string;
  readonly isDiscovered: boolean;
  readonly guessedFrom: GuessSource | null;
  readonly bindings: BindingInput[];
  readonly seenAt: SeenAt[];
  readonly added: string[];
}

/** The services behind ports; only those that the scan has to do with. @throws AppError `binding_conflict` */
export function planServices(seen: readonly SeenPort[], on: ServicePlanning): PlannedService[] {
  const { known, interfaces, ports, planning, leaveOut } = on;
  const drafts = (known?.services ?? []).map(draftOf);
  const interfaceAt = new Map(interfaces.map(({ entity }) => [entity.ip_address, entity.id]));
  const portOf = new Map(ports.map(({ entity }) => [portText(entity), entity]));
  const numberOf = new Map([...(known?.ports ?? []), ...ports].map(({ entity }) => [entity.id, entity]));
  /** @returns false when nothing tells what answers there */
  const place = (one: SeenPort): boolean => {
    const port = portOf.get(portText(one));
    const interfaceId = interfaceAt.get(one.ip);
    if (port === undefined || interfaceId === undefined) return true;
    const seenAt = { ip_address: one.ip, protocol: one.protocol, number: one.number };
    const answering = drafts.find((draft) => answersAt(draft, port.id, interfaceId));
    if (answering !== undefined) {
      if (!answering.seenAt.some((other) => atOf(other) === atOf(seenAt))) answering.seenAt.push(seenAt);
      return true;
    }
    const guess = guessOf(one, one.service);
    const joined = joinable(drafts, { port, interfaceId, guess, numberOf }) ?? (guess && newDraft(guess, planning));
    if (joined === null) return false;
    if (!drafts.includes(joined)) drafts.push(joined);
    joined.bindings.push({ type: "Port", port_id: port.id, interface_id: interfaceId });
    joined.seenAt.push(seenAt);
    joined.added.push(atOf(seenAt));
    return true;
  };
  // What nothing tells at one address may have been told at another.
  const unknown = seen.filter((one) => !place(one)).filter((one) => !place(one));
  for (const one of unknown)
    leaveOut(one.line, `service at ${one.ip} ${portText(one)}`, "nothing tells what it is; its port is imported");
  return finished(drafts, on);
}

function atOf({ ip_address, ...port }: SeenAt): string {
  return `${ip_address} ${portText(port)}`;
}

/** True when the service answers on the port at the interface, or a person has said that the port is its own. */
function answersAt(draft: Draft, portId: string, interfaceId: string): boolean {
  return draft.bindings.some(
    (binding) =>
      binding.type === "Port" &&
      binding.port_id === portId &&
      (binding.interface_id === null || binding.interface_id === interfaceId || !draft.isDiscovered),
  );
}

interface Joining {
  readonly port: Port;
  readonly interfaceId: string;
  readonly guess: Guess | null;
  readonly numberOf: ReadonlyMap<string, Port>;
}

/** The service of an earlier import, or of this one, that the port belongs to. */
function joinable(drafts: readonly Draft[], { port, interfaceId, guess, numberOf }: Joining): Draft | null {
  const open = drafts.filter(
    ({ isDiscovered, bindings }) =>
      isDiscovered &&
      bindings.length < MOST_BINDINGS &&
      !bindings.some((binding) => binding.type === "Interface" && binding.interface_id === interfaceId),
  );
  const portsOf = ({ bindings }: Draft): Port[] =>
    bindings.flatMap((binding) => (binding.type === "Port" ? (numberOf.get(binding.port_id) ?? []) : []));
  const ofSamePort = open.find((draft) => portsOf(draft).some(({ id }) => id === port.id));
  if (ofSamePort !== undefined || guess === null) return ofSamePort ?? null;
  return open.find((draft) => isOneService(draft, { guess, port, others: portsOf(draft) })) ?? null;
}

/**
 * Several ports are one service when they are one product, one number, or all of them usual for the definition. A service
 * that is bound to nothing, because its port was deleted, is taken up again.
 */
function isOneService(
  { name, definition, bindings }: Draft,
  { guess, port, others }: { guess: Guess; port: Port; others: readonly Port[] },
): boolean {
  if (definition !== guess.definition || name !== guess.name) return false;
  if (bindings.length === 0) return true;
  if (guess.isProduct) return others.length > 0;
  return others.some(
    (other) => other.number === port.number || (isUsual(definition, other) && isUsual(definition, port)),
  );
}

function draftOf(service: NonNullable<Planned<Service>["before"]>): Draft {
  const { id, name, service_definition: definition, source, bindings } = service.entity;
  const isDiscovered = source.type === "Discovery";
  const nothing = { guessedFrom: null, seenAt: [], added: [] };
  return { before: service, id, name, definition, isDiscovered, bindings: [...bindings], ...nothing };
}

function newDraft({ definition, name, from }: Guess, { newId }: Planning): Draft {
  const nothing = { before: null, bindings: [], seenAt: [], added: [] };
  return { id: newId(), name, definition, isDiscovered: true, guessedFrom: from, ...nothing };
}

/** The drafts that the scan has to do with as entities, their bindings after the rules. */
function finished(drafts: readonly Draft[], on: ServicePlanning): PlannedService[] {
  const { known, owned, planning } = on;
  const idsOf = (there: readonly { entity: { id: string } }[] = [], more: readonly { entity: { id: string } }[]) => [
    ...new Set([...there, ...more].map(({ entity }) => entity.id)),
  ];
  const inventory = {
    interfaces: idsOf(known?.interfaces, on.interfaces),
    ports: idsOf(known?.ports, on.ports),
  };
  let position = known?.services.length ?? 0;
  return drafts
    .filter(({ seenAt }) => seenAt.length > 0)
    .map((draft): PlannedService => {
      const { before, guessedFrom, seenAt, added } = draft;
      const planned = { guessedFrom, seenAt, added };
      if (before !== null && added.length === 0)
        return { ...planned, action: "unchanged", before, entity: before.entity };
      const owner = { serviceId: draft.id, networkId: owned.network_id, now: planning.now, newId: planning.newId };
      const resolved = resolveBindings(draft.bindings, inventory);
      const bindings = bindingsOf(resolved, before?.entity.bindings ?? [], owner);
      if (before !== null) return { ...planned, action: "update", before, entity: { ...before.entity, bindings } };
      const entity: Service = {
        ...owned,
        id: draft.id,
        bindings,
        name: draft.name,
        position: position++,
        service_definition: draft.definition,
        source: { type: "Discovery" },
        tags: [],
        virtualization: null,
      };
      return { ...planned, action: "create", before, entity };
    });
}
