import type { Plan } from "@nts/client";
import type { ArchiveImport, ImportPlan } from "@nts/shared/contract";

// Formats plans for people.

const SIGNS = { create: "+", update: "~", delete: "-" } as const;

/** The plan of a write: a line per change, and cascaded deletions. */
export function planText(plan: Plan): string {
  const { action, changes, truncated, cascades, removed_bindings } = plan;
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
  ].join("\n");
}

interface Difference {
  readonly before?: unknown;
  readonly after?: unknown;
}

function memberText([name, { before, after }]: [string, Difference]): string {
  return `${name} ${JSON.stringify(before ?? null)} → ${JSON.stringify(after ?? null)}`;
}

/** The plan of an import in a few lines. */
export function importText({ dry_run, format, summary, hosts, broke_off, columns = [] }: ImportPlan): string {
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
    ...(given.length > 0 ? [`  columns as you say: ${given.join(", ")}`] : []),
    ...(unused.length > 0
      ? [`  columns that are not used: ${unused.join(", ")}; say what one means with --column`]
      : []),
    ...(summary.skipped > 0 ? [`  ${summary.skipped} parts of the file are left out`] : []),
    ...(broke_off === null ? [] : [`  the file ends early, in line ${broke_off.line}: ${broke_off.reason}`]),
    ...failed.slice(0, 20).map(({ name, error }) => `  ! ${name}: ${error?.message ?? ""} (${error?.code ?? ""})`),
  ].join("\n");
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
  const { subnets, hosts, interfaces, ports, services } = summary;
  const counts = [subnets.create, hosts.create, hosts.update, hosts.failed, interfaces.create, interfaces.update];
  return [...counts, ports.create, ports.update, services.create, services.update].every((count) => count === 0);
}
