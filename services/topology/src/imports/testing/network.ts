/** A network in memory, which files are imported into, for the tests of what comes of several. */
import type { Interface } from "@nts/shared/contract";
import { type BareHost, isUntouched } from "../bare.rules.js";
import { type PlannedHost, type Recognized, recognizedAs } from "../plan.rules.js";
import { markedAs, type MarkedHost } from "../../storage/stores/host-marks.js";
import type { NamedHost } from "../../storage/stores/host-names.js";
import type { Marked } from "../identities.js";
import { hostLabel } from "../../values/host-names.rules.js";
import { createSession, type FileGiven, type Job, type Session, type SightedPlan } from "../session.js";
import { after, MAKERS } from "./sightings.js";

export interface MemoryNetwork {
  readonly hosts: Map<string, Recognized>;
  interfaces(): Interface[];
  /** Imports a file, each host planned on what is there by then or, in a preview, on what was there before. */
  importFile(file: string | Uint8Array, isDry: boolean, given?: Given): SightedPlan[];
}

interface Given extends Partial<FileGiven> {
  /** Of the machine that the file is from. */
  readonly hostname?: string;
}

const NOW_MS = Date.parse("2026-02-16T09:30:00.000Z");

export function createMemoryNetwork(): MemoryNetwork {
  const hosts = new Map<string, Recognized>();
  const lostMacs = new Map<string, string[]>();
  const interfaces = (): Interface[] =>
    [...hosts.values()].flatMap((host) => host.interfaces.map(({ entity }) => entity));

  function apply(plan: PlannedHost): void {
    for (const gone of plan.superseded) {
      const loser = hosts.get(gone.host_id);
      if (loser === undefined) continue;
      const services = loser.services.map(({ entity, revision }) => ({
        revision,
        entity: { ...entity, bindings: entity.bindings.filter((one) => one.interface_id !== gone.id) },
      }));
      const left = loser.interfaces.filter(({ entity }) => entity.id !== gone.id);
      hosts.set(gone.host_id, { ...loser, services, interfaces: left });
      const { mac_address: mac } = gone;
      if (mac !== null) lostMacs.set(gone.host_id, [...(lostMacs.get(gone.host_id) ?? []), mac]);
    }
    hosts.set(plan.entity.id, after(plan, hosts.get(plan.entity.id) ?? null));
    if (plan.joins !== null) hosts.delete(plan.joins);
    if (plan.matchedBy !== "mac_address") return;
    const found = new Set(plan.interfaces.map(({ entity }) => entity.mac_address));
    lostMacs.set(
      plan.entity.id,
      (lostMacs.get(plan.entity.id) ?? []).filter((mac) => !found.has(mac)),
    );
  }

  function importFile(file: string | Uint8Array, isDry: boolean, { hostname, ...given }: Given = {}): SightedPlan[] {
    const session = createSession(MAKERS);
    const bytes = typeof file === "string" ? new TextEncoder().encode(file) : new Uint8Array(file);
    const named = hostname === undefined ? null : { hostId: idOf(hostname), hostname };
    session.read([bytes], { networkId: "network", hints: [], format: "auto", nowMs: NOW_MS, named, ...given });
    session.recognize(interfaces());
    recognizeHosts(session, namedHosts(), hosts);
    const { jobs } = session.settle([]);
    const plans: SightedPlan[] = [];
    while (plans.length < jobs)
      for (const { index, match } of session.jobs(plans.length)) {
        const there = match === null ? undefined : hosts.get(match.hostId);
        const known = match === null || there === undefined ? null : recognizedAs(there, match);
        const now = new Date(NOW_MS).toISOString();
        const found = known ?? (isDry ? null : rematched(session, index));
        const plan = session.plan(index, { now, known: found, interfaces: isDry ? null : interfaces() });
        if (!isDry) apply(plan);
        plans.push(plan);
      }
    if (!isDry)
      for (const [id, macs] of session.cards()) lostMacs.set(id, [...new Set([...(lostMacs.get(id) ?? []), ...macs])]);
    return plans;
  }

  const namedHosts = (): NamedHost[] => [...hosts.values()].map((host) => namedHostOf(host, lostMacs));

  /** What an import finds in its transaction of a host that was new before. */
  function rematched(session: Session, index: number): Recognized | null {
    const { label, marks } = session.jobs(index)[0] as Job;
    session.recognizeMarked(markedHosts(hosts).filter(isAmong({ keys: marks, hostIds: [] })));
    const called = namedHosts().filter(({ hostname }) => label !== null && hostLabel(hostname) === label);
    const match = session.match(index, interfaces(), called);
    const there = match === null ? undefined : hosts.get(match.hostId);
    return match === null || there === undefined ? null : recognizedAs(there, match);
  }

  const idOf = (hostname: string): string | null =>
    [...hosts.values()].find(({ host }) => host.entity.hostname === hostname)?.host.entity.id ?? null;

  return { hosts, interfaces, importFile };
}

function bareHost(there: Recognized | undefined): BareHost[] {
  if (there === undefined || there.ports.length + there.services.length > 0) return [];
  const { entity } = there.host;
  return isUntouched(entity) ? [{ id: entity.id, interfaces: there.interfaces.length }] : [];
}

function namedHostOf(
  { host: { entity }, interfaces }: Recognized,
  lostMacs: ReadonlyMap<string, readonly string[]>,
): NamedHost {
  const { id, hostname } = entity;
  return { id, hostname, hasInterfaces: interfaces.length > 0, lostMacs: lostMacs.get(id) ?? [] };
}

function markedHosts(all: ReadonlyMap<string, Recognized>): MarkedHost[] {
  return [...all.values()].map(({ host: { entity }, interfaces }) => markedAs(entity, interfaces.length > 0));
}

function isAmong({ keys, hostIds }: Marked): (host: MarkedHost) => boolean {
  return ({ id, marks }) => hostIds.includes(id) || marks.some(({ key }) => keys.includes(key));
}

/** Takes in what an import would find in the database. */
function recognizeHosts(session: Session, hosts: readonly NamedHost[], all: ReadonlyMap<string, Recognized>): void {
  for (let batch = 0, ids = session.addressed(0); ids !== null; ids = session.addressed(++batch))
    session.recognizeBare(ids.flatMap((id) => bareHost(all.get(id))));
  for (let batch = 0; ; batch++) {
    const marked = session.marked(batch);
    if (marked === null) break;
    session.recognizeMarked(markedHosts(all).filter(isAmong(marked)));
  }
  for (let batch = 0; ; batch++) {
    const unrecognized = session.unrecognized(batch);
    if (unrecognized === null) return;
    const isUnrecognized = ({ hostname, lostMacs }: NamedHost): boolean =>
      unrecognized.labels.includes(hostLabel(hostname) ?? "") ||
      lostMacs.some((mac) => unrecognized.macAddresses.includes(mac));
    session.recognizeHosts(hosts.filter(isUnrecognized));
  }
}

/** The same of a plan in a preview and in an import. */
export const shapeOf = (plans: readonly PlannedHost[]): unknown =>
  plans.map(({ action, matchedBy, interfaces, ports, services, changes, superseded, joins }) => ({
    action,
    matchedBy,
    interfaces: interfaces.map((one) => [one.action, one.entity.ip_address, one.entity.mac_address]),
    ports: ports.map((one) => [one.action, one.entity.number]),
    services: services.map((one) => [one.action, one.entity.name, one.seenAt]),
    changes,
    superseded: superseded.map(({ id }) => id),
    joins,
  }));
