import { BUSY, type Measured, MIX, needsOf, PARTS, type Plan } from "./scale-model.rules.js";
import { row } from "./work.js";

/** Prints what a system needs. */
export function printModel(measured: Measured, plan: Plan): void {
  const { organizations, services, perSecond, journalDays } = plan;
  const mixed = Object.entries(MIX).map(([work, part]) => `${Math.round(part * 100)} % ${work}`);
  const size = [organizations, services, perSecond].map((one) => one.toLocaleString("en"));
  console.log(`\nComputed for ${size[0]} organizations, ${size[1]} services and ${size[2]} requests per second`);
  console.log(`(${mixed.join(", ")}), each process ${BUSY * 100} % busy, and ${journalDays} days of journal:\n`);
  const needs = needsOf(measured, plan);
  row("", ...PARTS);
  row("---", ...PARTS.map(() => "---"));
  row("cores", ...PARTS.map((part) => needs.cores[part].toFixed(1)));
  row("replicas", ...PARTS.map((part) => replicasIn(needs.replicas[part])));
  const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
  const ofServices = gigabytes(services * measured.indexBytes.services);
  console.log(
    `\nMemory for indexes: ${gigabytes(needs.indexMemory)}, of which ${ofServices} are those of services, and ${gigabytes(needs.guardMemory)} for guards.`,
  );
  console.log(`Disk of the journal: ${gigabytes(needs.journalDisk)} for each member of the replica set.`);
  const [first, ...others] = needs.limits.map(({ part, perSecond: most }) => `${part} at ${Math.round(most)}`);
  console.log(`Exhausted first: ${first}, then ${others.join(", ")} requests per second.`);
  console.log(
    `Indexes of more than ${(needs.mostServices / 1e6).toFixed(0)} million services need several replica sets.`,
  );
}

function replicasIn(bounds: { readonly min: number; readonly max: number } | undefined): string {
  return bounds === undefined ? "" : `${bounds.min} to ${bounds.max}`;
}
