import type { ImportedHost, ImportedSubnet, ImportSummary } from "@nts/shared/contract";
import type { AppError } from "@nts/shared/errors";
import type { PlannedHost } from "./plan.js";
import type { Job } from "./session.js";

// Plans as they are answered.

/** The plan of a host. @param names of other hosts by id @param isDry what would be new has no id yet */
export function hostAnswer(plan: PlannedHost, names: ReadonlyMap<string, string>, isDry: boolean): ImportedHost {
  const idOf = ({ action, entity }: { action: string; entity: { id: string } }): string | null =>
    isDry && action === "create" ? null : entity.id;
  const { line, action, matchedBy, entity, changes } = plan;
  return {
    line,
    action,
    id: idOf(plan),
    matched_by: matchedBy,
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
      action: one.action === "create" ? "create" : "unchanged",
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
    error: null,
  };
}

/** A host of which nothing was written. */
export function failedHost({ line, hostname, name }: Job, error: AppError): ImportedHost {
  const nothing = { interfaces: [], ports: [], services: [], changes: [], superseded: [] };
  return { line, action: "failed", id: null, matched_by: null, name, hostname, ...nothing, error: refusalOf(error) };
}

/** A failure as a part of an answer tells it. */
export function refusalOf({ code, message }: AppError): { code: string; message: string } {
  return { code, message };
}

/** Nothing counted yet. */
export function emptySummary(): ImportSummary {
  return {
    subnets: { create: 0, existing: 0, failed: 0 },
    hosts: { create: 0, update: 0, unchanged: 0, failed: 0 },
    interfaces: { create: 0, update: 0, unchanged: 0, superseded: 0 },
    ports: { create: 0, unchanged: 0 },
    services: { create: 0, update: 0, unchanged: 0 },
    skipped: 0,
    unanswered: 0,
  };
}

/** Counts a subnet. */
export function countSubnet(summary: ImportSummary, { action }: ImportedSubnet): void {
  summary.subnets[action]++;
}

/** Counts a host with what is on it. */
export function countHost(summary: ImportSummary, host: ImportedHost): void {
  summary.hosts[host.action]++;
  for (const { action } of host.interfaces) summary.interfaces[action]++;
  summary.interfaces.superseded += host.superseded.length;
  for (const { action } of host.ports) summary.ports[action]++;
  for (const { action } of host.services) summary.services[action]++;
}
