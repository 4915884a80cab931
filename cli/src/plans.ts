import type { Plan } from "@nts/client";
import type { ArchiveImport, ImportedDependency, ImportedHost, ImportedLink, ImportPlan } from "@nts/shared/contract";
import { dependencyText } from "@nts/shared/contract/names.rules";
import { singularOf } from "./resources.js";

// Formats plans for people.

const SIGNS = { create: "+", update: "~", delete: "-" } as const;

/** The plan of a write: a line per change, and cascaded deletions. */
export function planText(plan: Plan): string {
  const { action, changes, truncated, cascades, removed_bindings, impact } = plan;
  if (action === "none") return "Nothing would change.";
  const along = Object.entries(cascades).map(([kind, count]) => `  - with it: ${counted(count, kind)}`);
  // Bindings have no names, and are part of services. The ids of new ones are other ones in each plan.
  const named = changes.filter(({ entity }) => entity !== "Binding");
  return [
    ...named.map(({ action: sign, entity, id, name, fields }) => {
      const members = sign === "update" ? `: ${Object.entries(fields).map(memberText).join("; ")}` : "";
      return `${SIGNS[sign]} ${entity} ${name === "" ? id : name}${members}`;
    }),
    ...(truncated ? ["  … and more"] : []),
    ...removed_bindings.map(({ index, reason }) => `  binding ${index} is redundant: ${reason}`),
    ...along,
    ...(impact === undefined ? [] : stopsLines(impact)),
  ].join("\n");
}

/** Such as `1 service`. */
function counted(count: number, plural: string): string {
  return `${count} ${count === 1 ? singularOf(plural) : plural}`;
}

/** What stops with it: its own services are among those that are deleted. */
function stopsLines({ complete, ...counts }: NonNullable<Plan["impact"]>): string[] {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  const more = complete ? "" : " and more";
  return some.length === 0
    ? []
    : [`  stops with it: ${some.map(([kind, count]) => counted(count, kind)).join(", ")}${more}`];
}

interface Difference {
  readonly before?: unknown;
  readonly after?: unknown;
}

function memberText([name, { before, after }]: [string, Difference]): string {
  return `${name} ${JSON.stringify(withoutFacts(before))} → ${JSON.stringify(withoutFacts(after))}`;
}

/** What the server sets in parts, such as bindings. */
const FACTS = ["id", "created_at", "updated_at", "service_id", "network_id"];

function withoutFacts(value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? null;
  return (value as readonly unknown[]).map((one) =>
    typeof one === "object" && one !== null
      ? Object.fromEntries(Object.entries(one).filter(([name]) => !FACTS.includes(name)))
      : one,
  );
}

/** The plan of an import in a few lines. */
export function importText({
  dry_run,
  format,
  summary,
  hosts,
  dependencies = [],
  links = [],
  broke_off,
  skipped,
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
    ...(["vlans", "links"] as const).flatMap((kind) => {
      const counts = summary[kind];
      return counts === undefined || Object.values(counts).every((count) => count === 0) ? [] : [line(kind, counts)];
    }),
    ...links.slice(0, MOST_LISTED).flatMap((link) => (link.action === "unchanged" ? [] : [linkLine(link)])),
    ...skippedLines(summary.skipped, skipped),
    ...(broke_off === null ? [] : [`  the file ends early, in line ${broke_off.line}: ${broke_off.reason}`]),
    ...failed.slice(0, 20).map(({ name, error }) => `  ! ${name}: ${error?.message ?? ""} (${error?.code ?? ""})`),
  ].join("\n");
}

/** What is left out of a file, and why. */
function skippedLines(count: number, parts: ImportPlan["skipped"]): string[] {
  if (count === 0) return [];
  const named = parts.slice(0, NAMED).map(({ line: n, what, reason }) => `    line ${n}: ${what}: ${reason}`);
  const more = count > named.length ? [`    … and ${count - named.length} more`] : [];
  return [`  left out: ${counted(count, "parts")} of the file`, ...named, ...more];
}

/** Dependencies, and parts of a file, that are named. */
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
  const isNone = Object.values(made).every((count) => count === 0);
  return [
    ...(isNone ? [] : [line("depends", made)]),
    ...changed.slice(0, NAMED).map((one) => {
      const sign = one.action === "failed" ? "!" : SIGNS[one.action as "create" | "update"];
      return `    ${sign} ${dependencyText(one)}${one.error === null ? "" : `: ${one.error.message}`}`;
    }),
    ...(changed.length > NAMED ? [`    … and ${changed.length - NAMED} more`] : []),
    ...(reasons.length === 0 ? [] : [`  connections that are no dependencies: ${reasons.join(", ")}`]),
  ];
}

/** Hosts, and what is missed, of which a plan says the names. */
const MOST_NAMED = 200;

/** What becomes of each host of an import, with names. */
export function importNames({ subnets, hosts, missing }: ImportPlan): string[] {
  const made = subnets.filter(({ action }) => action === "create").map(({ cidr }) => `+ Subnet ${cidr}`);
  const changed = hosts.filter(({ action }) => action === "create" || action === "update").map(importedHostText);
  const missed = missing.map(({ entity, name }) => `? ${entity} ${name} is missed`);
  const all = [...made, ...changed, ...missed];
  return [...all.slice(0, MOST_NAMED), ...(all.length > MOST_NAMED ? [`… and ${all.length - MOST_NAMED} more`] : [])];
}

function importedHostText({
  action,
  name,
  interfaces,
  ports,
  services,
  changes,
  superseded,
  joined,
}: ImportedHost): string {
  const isNew = action === "create";
  const fresh = <Child extends { readonly action: string }>(children: readonly Child[]): Child[] =>
    children.filter((child) => child.action !== "unchanged");
  const parts = [
    ...fresh(interfaces).map(({ ip_address }) => ip_address),
    ...fresh(ports).map(({ number, protocol }) => `${number}/${protocol.toLowerCase()}`),
    ...fresh(services).map((service) => service.name),
  ];
  const members = changes.map(({ path, from, to }) => `${path} ${JSON.stringify(from)} → ${JSON.stringify(to)}`);
  const others = [
    ...superseded.map(({ ip_address, host_name }) => `takes ${ip_address} from ${host_name}`),
    ...(joined === null ? [] : [`absorbs ${joined.name}`]),
  ];
  const said = [...(parts.length > 0 ? [parts.join(", ")] : []), ...members, ...others].join("; ");
  return `${isNew ? "+" : "~"} Host ${name}${said === "" ? "" : `: ${said}`}`;
}

/** Links that are shown. */
const MOST_LISTED = 20;

/** Such as `create nas eth0 – core Gi1/0/24`. */
function linkLine({ action, ends, error }: ImportedLink): string {
  const text = ends.map(({ host_name, port }) => [host_name, port ?? ""].join(" ").trim()).join(" – ");
  return `    ${action} ${text}${error === null ? "" : `: ${error.message} (${error.code})`}`;
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
  const { subnets, hosts, interfaces, ports, services, dependencies, vlans, links } = summary;
  const counts = [subnets.create, hosts.create, hosts.update, hosts.failed, interfaces.create, interfaces.update];
  const others = [ports.create, ports.update, services.create, services.update];
  const ends = [dependencies?.create ?? 0, dependencies?.update ?? 0, dependencies?.failed ?? 0];
  const wired = [vlans?.create ?? 0, links?.create ?? 0, links?.update ?? 0, links?.failed ?? 0];
  return [...counts, ...others, ...ends, ...wired].every((count) => count === 0);
}
