import type { ImportPlan } from "@nts/shared/contract";

/** Whether an import would change nothing. Unchanged entities are imported, too, to record sightings; tables record none. */
export function isNothing({ format, summary, missing }: Pick<ImportPlan, "format" | "summary" | "missing">): boolean {
  const { hosts, subnets, dependencies, links, vlans } = summary;
  const changed = [hosts, dependencies, links].map((kind) => (kind?.create ?? 0) + (kind?.update ?? 0));
  const seen = format === "csv" ? 0 : hosts.unchanged;
  return subnets.create + (vlans?.create ?? 0) + changed.reduce((a, b) => a + b) + seen + missing.length === 0;
}
