import type {
  ImportedDependency,
  ImportedHost,
  ImportedSubnet,
  ImportSummary,
  SkippedPart,
} from "@nts/shared/contract";
import { forPlurals, SIGHTED_KINDS } from "@nts/shared/contract/kinds";
import type { AppError } from "@nts/shared/errors";
import { NOTHING_LEFT_OUT, type NotMade, sumOf } from "./connections.rules.js";
import type { PlannedHost } from "./plan.rules.js";
import type { Job, SightedPlan } from "./session.js";
import type { HostSighting } from "./sightings.rules.js";

// Import plans as returned. As a host's result may be long, it is serialized in the thread of the plan, together
// with the data needed in addition to the text.

/** The result for a host. */
export interface HostResult {
  /** The JSON text of an `ImportedHost`. */
  readonly text: string;
  /** Its counts in the summary. */
  readonly counts: HostCounts;
  /** Its skipped parts. */
  readonly skipped: readonly SkippedPart[];
  /** The existing host; null for a new one. */
  readonly id: string | null;
  /** What was found and missed; null if unknown. */
  readonly sighting: HostSighting | null;
}

const COUNTED = ["hosts", "interfaces", "ports", "services"] as const;
type HostCounts = Pick<ImportSummary, (typeof COUNTED)[number]>;

/** The result of a planned host. @param names of other hosts by id @param isDry new entities have no id yet */
export function resultOf(plan: SightedPlan, names: ReadonlyMap<string, string>, isDry: boolean): HostResult {
  return { id: plan.entity.id, ...withCounts(importedHost(plan, names, isDry), plan) };
}

/** The result of a failed host. */
export function failedResult({ line, hostname, name, match }: Job, error: AppError): HostResult {
  const unknown = { id: null, matched_by: null, evidence: [] };
  const nothing = { interfaces: [], ports: [], services: [], changes: [], superseded: [], joined: null };
  const failed = { line, action: "failed" as const, ...unknown, name, hostname, ...nothing };
  const nothingSeen = { skipped: [], sighting: null };
  return { ...withCounts({ ...failed, error: refusalOf(error) }, nothingSeen), id: match?.hostId ?? null };
}

function withCounts(
  host: ImportedHost,
  { skipped, sighting }: Pick<HostResult, "skipped" | "sighting">,
): Omit<HostResult, "id"> {
  const { hosts, interfaces, ports, services } = noCounts();
  hosts[host.action]++;
  for (const { action } of host.interfaces) interfaces[action]++;
  interfaces.superseded += host.superseded.length;
  for (const { action } of host.ports) ports[action]++;
  for (const { action } of host.services) services[action]++;
  return { text: JSON.stringify(host), counts: { hosts, interfaces, ports, services }, skipped, sighting };
}

function importedHost(plan: PlannedHost, names: ReadonlyMap<string, string>, isDry: boolean): ImportedHost {
  const idOf = ({ action, entity }: { action: string; entity: { id: string } }): string | null =>
    isDry && action === "create" ? null : entity.id;
  const { line, action, matchedBy, entity, changes } = plan;
  return {
    line,
    action,
    id: idOf(plan),
    matched_by: matchedBy === "mac_address" || matchedBy === "ip_address" ? matchedBy : null,
    evidence: [...plan.evidence],
    name: entity.name,
    hostname: entity.hostname,
    interfaces: plan.interfaces.map((one) => ({
      action: one.action,
      id: idOf(one),
      ip_address: one.entity.ip_address,
      mac_address: one.entity.mac_address,
      subnet: one.cidr,
    })),
    ports: plan.ports.map((one) => ({
      action: one.action,
      id: idOf(one),
      protocol: one.entity.protocol,
      number: one.entity.number,
    })),
    services: plan.services.map((one) => ({
      action: one.action,
      id: idOf(one),
      name: one.entity.name,
      service_definition: one.entity.service_definition,
      guessed_from: one.guessedFrom,
      bindings: [...one.seenAt],
    })),
    changes: [...changes],
    superseded: plan.superseded.map(({ id, host_id, ip_address, mac_address }) => ({
      id,
      host_id,
      host_name: names.get(host_id) ?? "",
      ip_address,
      mac_address,
    })),
    joined: plan.joins === null ? null : { id: plan.joins, name: names.get(plan.joins) ?? "" },
    error: null,
  };
}

/** A failure as part of a result. */
export function refusalOf({ code, message }: AppError): { code: string; message: string } {
  return { code, message };
}

/** With what plans of earlier jobs lack. */
type WholeSummary = ImportSummary & Required<Pick<ImportSummary, "dependencies" | "vlans" | "links">>;

function noCounts(): HostCounts {
  return {
    hosts: { create: 0, update: 0, unchanged: 0, failed: 0 },
    interfaces: { create: 0, update: 0, unchanged: 0, superseded: 0 },
    ports: { create: 0, update: 0, unchanged: 0 },
    services: { create: 0, update: 0, unchanged: 0 },
  };
}

/** Zero counts. */
export function emptySummary(): WholeSummary {
  return {
    subnets: { create: 0, existing: 0, failed: 0 },
    ...noCounts(),
    dependencies: { create: 0, update: 0, unchanged: 0, failed: 0, not_made: { ...NOTHING_LEFT_OUT } },
    vlans: { create: 0, existing: 0 },
    links: { create: 0, update: 0, unchanged: 0, failed: 0 },
    missing: forPlurals(SIGHTED_KINDS, () => 0),
    skipped: 0,
    unanswered: 0,
  };
}

/** Counts a subnet. */
export function countSubnet(summary: ImportSummary, { action }: ImportedSubnet): void {
  summary.subnets[action]++;
}

/** Counts dependencies, and connections that are none. */
export function countDependencies(
  { dependencies }: ImportSummary,
  results: readonly Pick<ImportedDependency, "action">[],
  notMade: NotMade,
): void {
  if (dependencies === undefined) return;
  for (const { action } of results) dependencies[action]++;
  dependencies.not_made = sumOf([dependencies.not_made, notMade]);
}

/** Counts a host and its children. */
export function countHost(summary: ImportSummary, counts: HostCounts): void {
  for (const kind of COUNTED) {
    const sums: Record<string, number> = summary[kind];
    for (const [action, count] of Object.entries(counts[kind])) sums[action] = (sums[action] ?? 0) + count;
  }
}
