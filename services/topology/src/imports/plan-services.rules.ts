import type {
  Attributes,
  Confidence,
  GuessSource,
  Interface,
  ObservedOfService,
  Port,
  Service,
} from "@nts/shared/contract";
import { bindingJudge } from "@nts/shared/contract/bindings.rules";
import { withMissing } from "../hosts/missing.rules.js";
import { bindingsOf, resolveBindings } from "../hosts/bindings.rules.js";
import { createDrafts, type Draft } from "./drafts.rules.js";
import { guessOf } from "./guess.rules.js";
import { serviceTold } from "./observations.rules.js";
import type { Skip, Owned, Planned, Planning, Recognized } from "./plan.rules.js";
import { placeText, portText, type SeenPort, type SeenService, type Workload } from "./scan.rules.js";
import { virtualizationTold } from "./virtualization.rules.js";

// A scan shows a port open at one address, so its service is bound to that interface; only the machine itself reports
// it open on all. Bindings to the port there, or a person's to the port elsewhere, count as the service.

export interface SeenAt {
  readonly ip_address: string;
  readonly protocol: Port["protocol"];
  readonly number: number;
}

export interface PlannedService extends Planned<Service> {
  /** Null for an existing one. */
  readonly guessedFrom: GuessSource | null;
  /** Where the scan has seen it. */
  readonly seenAt: readonly SeenAt[];
  /** Added bindings, as text. */
  readonly added: readonly string[];
}

export interface ServicePlanning {
  readonly known: Recognized | null;
  readonly interfaces: readonly Planned<Interface>[];
  readonly ports: readonly Planned<Port>[];
  readonly workloads: readonly Workload[];
  readonly owned: Owned;
  readonly planning: Planning;
  readonly skip: Skip;
}

/** The services behind the scanned ports. @throws AppError `binding_conflict` */
export function planServices(seen: readonly SeenPort[], on: ServicePlanning): PlannedService[] {
  const { known, interfaces, ports, planning, skip } = on;
  const numberOf = new Map([...(known?.ports ?? []), ...ports].map(({ entity }) => [entity.id, entity]));
  const drafts = createDrafts(known?.services ?? [], { numberOf, lost: planning.lost });
  const interfaceAt = new Map(interfaces.map(({ entity }) => [entity.ip_address, entity.id]));
  const portOf = new Map(ports.map(({ entity }) => [portText(entity), entity]));
  const isNew = new Set(ports.filter(({ before }) => before === null).map(({ entity }) => entity.id));
  /** @returns false if the service is unknown */
  const place = (one: SeenPort): boolean => {
    const port = portOf.get(portText(one));
    const interfaceId = one.ip === null ? null : interfaceAt.get(one.ip);
    if (port === undefined || interfaceId === undefined) return true;
    const seenAt = { ip_address: placeText(one.ip), protocol: one.protocol, number: one.number };
    const listening = drafts.listening(port.id, interfaceId);
    if (listening !== null) {
      listening.seenAt.set(atOf(seenAt), seenAt);
      listening.seen.push(one);
      return true;
    }
    if (one.isListed === true && !isNew.has(port.id)) return true;
    const guess = guessOf(one, one.service);
    const joined = drafts.joinable(port, interfaceId, guess) ?? (guess && drafts.add(guess, planning.newId()));
    if (joined === null) return false;
    drafts.bind(joined, { type: "Port", port_id: port.id, interface_id: interfaceId });
    joined.seenAt.set(atOf(seenAt), seenAt);
    joined.added.push(atOf(seenAt));
    joined.seen.push(one);
    return true;
  };
  // What is unknown at one address may be known at another.
  const unknown = seen.filter((one) => !place(one)).filter((one) => !place(one));
  for (const one of unknown)
    skip(
      one.line,
      `service at ${placeText(one.ip)} ${portText(one)}`,
      "the service is not recognized; its port is imported",
    );
  for (const workload of on.workloads) {
    const guess = guessOf({ number: 0, protocol: "Tcp" }, workload.service);
    if (guess !== null)
      (drafts.running(workload, guess) ?? drafts.add(guess, planning.newId())).workloads.push(workload);
  }
  return finished(drafts.all(), on);
}

function atOf({ ip_address, ...port }: SeenAt): string {
  return `${ip_address} ${portText(port)}`;
}

/** The affected drafts as entities, with the binding rules applied. */
function finished(drafts: readonly Draft[], on: ServicePlanning): PlannedService[] {
  const { known, owned, planning } = on;
  const idsOf = (there: readonly { entity: { id: string } }[] = [], more: readonly { entity: { id: string } }[]) => [
    ...new Set([...there, ...more].map(({ entity }) => entity.id)),
  ];
  const judge = bindingJudge({
    interfaces: idsOf(known?.interfaces, on.interfaces),
    ports: idsOf(known?.ports, on.ports),
  });
  let position = known?.services.length ?? 0;
  return drafts
    .filter(({ seenAt, workloads }) => seenAt.size > 0 || workloads.length > 0)
    .map((draft): PlannedService => {
      const { before, guessedFrom, added } = draft;
      const planned = { guessedFrom, seenAt: [...draft.seenAt.values()], added };
      const given = Object.assign({}, ...servicesIn(draft).map((one) => one.attributes ?? {})) as Attributes;
      const told = {
        attributes: before === null ? given : withMissing(before.entity.attributes, given),
        observed: observedOf(draft, planning),
        virtualization: virtualizationTold(
          before?.entity.virtualization ?? null,
          servicesIn(draft).find(({ virtualization }) => virtualization !== undefined)?.virtualization ?? null,
          owned.host_id,
        ),
      };
      if (before !== null && added.length === 0) {
        const { observed, virtualization, attributes } = before.entity;
        const isSame = told.observed === observed && told.attributes === attributes;
        if (isSame && told.virtualization === virtualization)
          return { action: "unchanged", before, entity: before.entity, ...planned };
        return { action: "update", before, entity: { ...before.entity, ...told }, ...planned };
      }
      const owner = { serviceId: draft.id, networkId: owned.network_id, now: planning.now, newId: planning.newId };
      const resolved = resolveBindings(draft.bindings, judge);
      const bindings = bindingsOf(resolved, before?.entity.bindings ?? [], owner);
      if (before !== null)
        return { action: "update", before, entity: { ...before.entity, bindings, ...told }, ...planned };
      const entity = planning.make.service(
        {
          name: draft.name,
          service_definition: draft.definition,
          virtualization: told.virtualization,
          attributes: told.attributes,
          tags: [],
        },
        {
          id: draft.id,
          bindings,
          position: position++,
          source: { type: "Discovery" },
          observed: told.observed,
          ...owned,
        },
      );
      return { action: "create", before, entity, ...planned };
    });
}

/** Formats in which a machine says itself what listens. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set(["ss", "netstat", "lsof", "docker", "compose", "kubernetes"]);

/** What is known of a service with what the file says of it. Where several ports say something, the first counts. */
function observedOf(draft: Draft, { by, now }: Planning): ObservedOfService | null {
  const { before, seen } = draft;
  const services = servicesIn(draft);
  const first = <Value>(of: (service: SeenService) => Value | null | undefined): Value | null =>
    services.map(of).find((value) => value !== null && value !== undefined) ?? null;
  const isByPeople = services.some(({ definition }) => typeof definition === "string");
  const isListed = seen.length > 0 && seen.every((one) => one.isListed === true);
  const likely = isByPeople || isListed ? null : confidenceOf(services, by);
  // What people have entered is no guess.
  const isEntered = before !== null && before.entity.source.type !== "Discovery";
  const confidence = isEntered && likely === "port" ? null : likely;
  const says = {
    product: isByPeople ? null : first(({ kind, product }) => kind ?? product),
    version: first(({ version }) => version),
    cpe: first(({ cpe = [] }) => (cpe.length === 0 ? null : cpe)) ?? [],
    confidence,
  };
  return serviceTold(before?.entity.observed ?? null, says, { by, since: now });
}

/** What the file says of a service. */
function servicesIn({ seen, workloads }: Draft): SeenService[] {
  return [...seen.flatMap(({ service }) => service ?? []), ...workloads.map(({ service }) => service)];
}

function confidenceOf(services: readonly SeenService[], by: string): Confidence {
  if (OF_THE_MACHINE.has(by) && services.length > 0) return "reported";
  return services.some(({ isProbed }) => isProbed) ? "probed" : "port";
}
