import type { Plan } from "@nts/client";
import type { ArchiveImport, ImportedDependency, ImportPlan } from "@nts/shared/contract";
import { dependencyText } from "@nts/shared/contract/names.rules";

// Formats plans for people.

const SIGNS = { create: "+", update: "~", delete: "-" } as const;

/** The plan of a write: a line per change, and cascaded deletions. */
export function planText(plan: Plan): string {
  const { action, changes, truncated, cascades, removed_bindings, impact } = plan;
  if (action === "none") return "Nothing would change.";
  const along = Object.entries(cascades).map(([kind, count]) => `  - with it: ${count} ${kind}`);
  return [
    ...changes.map(({ action: sign, entity, id, name, fields }) => {
      const members = sign === "update" ? `: ${Object.entries(fields).map(memberText).join("; ")}` : "";
      return `${SIGNS[sign]} ${entity} ${name === "" ? id : name}${members}`;
    }),
    ...(truncated ? ["  … and more"] : []),
    ...removed_bindings.map(({ index, reason }) => `  binding ${index} is redundant: ${reason}`),
    ...along,
    ...(impact === undefined ? [] : stopsLines(impact)),
  ].join("\n");
}

/** What stops with it: its own services are among those that are deleted. */
function stopsLines({ complete, ...counts }: NonNullable<Plan["impact"]>): string[] {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  const more = complete ? "" : " and more";
  return some.length === 0
    ? []
    : [`  stops with it: ${some.map(([kind, count]) => `${count} ${kind}`).join(", ")}${more}`];
}

interface Difference {
  readonly before?: unknown;
  readonly after?: unknown;
}

function memberText([name, { before, after }]: [string, Difference]): string {
  return `${name} ${JSON.stringify(before ?? null)} → ${JSON.stringify(after ?? null)}`;
}

/** The plan of an import in a few lines. */
export function importText({
  dry_run,
  format,
  summary,
  hosts,
  dependencies = [],
  broke_off,
  columns = [],
}: ImportPlan): string {
  const would = dry_run ? "would be " : "";
  const failed = hosts.filter(({ error }) => error !== null);
  const given = columns.flatMap(({ heading, meaning, given: isGiven }) =>
    isGiven ? [`${heading} = ${meaning ?? "ignore"}`] : [],
  );
  const unused = columns.flatMap(({ heading, meaning, given: isGiven }) =>
    meaning === null && !isGiven ? [heading] : [],
  );
  return [
    `Read as ${format}; ${would}done:`,
    ...(["subnets", "hosts", "interfaces", "ports", "services", "missing"] as const).map((kind) =>
      line(kind, summary[kind]),
    ),
    ...dependencyLines(summary, dependencies),
    ...(given.length > 0 ? [`  columns as you say: ${given.join(", ")}`] : []),
    ...(unused.length > 0
      ? [`  columns that are not used: ${unused.join(", ")}; say what one means with --column`]
      : []),
    ...(summary.skipped > 0 ? [`  ${summary.skipped} parts of the file are left out`] : []),
    ...(broke_off === null ? [] : [`  the file ends early, in line ${broke_off.line}: ${broke_off.reason}`]),
    ...failed.slice(0, 20).map(({ name, error }) => `  ! ${name}: ${error?.message ?? ""} (${error?.code ?? ""})`),
  ].join("\n");
}

/** Dependencies that are named. */
const NAMED = 20;

/** What would depend on what, and which connections are left out. */
function dependencyLines(
  { dependencies: counts }: ImportPlan["summary"],
  all: readonly ImportedDependency[],
): string[] {
  if (counts === undefined) return [];
  const { not_made: left, ...made } = counts;
  const { loopback, broadcast, unknown_host: unknown, unclear } = left;
  const leftOut = Object.entries({ loopback, broadcast, "to or from no known host": unknown, unclear });
  const reasons = leftOut.filter(([, count]) => count > 0).map(([reason, count]) => `${count} ${reason}`);
  const changed = all.filter(({ action }) => action !== "unchanged");
  return [
    line("depends", made),
    ...changed.slice(0, NAMED).map((one) => {
      const sign = one.action === "failed" ? "!" : SIGNS[one.action as "create" | "update"];
      return `    ${sign} ${dependencyText(one)}${one.error === null ? "" : `: ${one.error.message}`}`;
    }),
    ...(changed.length > NAMED ? [`    … and ${changed.length - NAMED} more`] : []),
    ...(reasons.length === 0 ? [] : [`  connections that are no dependencies: ${reasons.join(", ")}`]),
  ];
}

function line(kind: string, counts: Readonly<Record<string, unknown>>): string {
  const some = Object.entries(counts).filter(([, count]) => Number(count) > 0);
  return `  ${kind.padEnd(11)}${some.map(([what, count]) => `${String(count)} ${what}`).join(", ") || "-"}`;
}

/** The plan of an archive import in a few lines. */
export function archiveText({ dry_run, summary, failed }: ArchiveImport): string {
  return [
    `Read as an archive; ${dry_run ? "would be " : ""}done:`,
    ...Object.entries(summary).map(([kind, counts]) => line(kind, counts)),
    ...failed.slice(0, 20).map((one) => `  ! ${JSON.stringify(one)}`),
  ].join("\n");
}

/** True if an archive import changes nothing. */
export function isIdleArchive({ summary }: ArchiveImport): boolean {
  return Object.values(summary).every(({ create, update, failed }) => create + update + failed === 0);
}

/** True if an import changes nothing. */
export function isIdle({ summary }: ImportPlan): boolean {
  const { subnets, hosts, interfaces, ports, services, dependencies } = summary;
  const counts = [subnets.create, hosts.create, hosts.update, hosts.failed, interfaces.create, interfaces.update];
  const others = [ports.create, ports.update, services.create, services.update];
  const ends = [dependencies?.create ?? 0, dependencies?.update ?? 0, dependencies?.failed ?? 0];
  return [...counts, ...others, ...ends].every((count) => count === 0);
}
