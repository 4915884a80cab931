import { Alert, Badge, Button, Text, Title } from "@mantine/core";
import type { ImportedDependency, ImportedHost, ImportedLink, ImportPlan, SkippedPart } from "@nts/shared/contract";
import { dependencyText } from "@nts/shared/contract/names.rules";
import { type ReactNode, useState } from "react";
import { type Column, DataTable, type DataTableProps } from "../list/data-table.js";
import { RECOGNIZED_BY } from "../parts/recognized-by.js";
import { portText } from "../parts/socket-texts.js";
import { When } from "../parts/when.js";
import { changeText } from "./change-text.js";
import { formatLabel } from "./formats.js";
import classes from "./imports.module.css";

const SHOWN = 100;
/** Changes of a host that are listed. */
const CHANGES_SHOWN = 10;

const ACTIONS: Readonly<
  Record<ImportedHost["action"], { readonly planned: string; readonly done: string; readonly color: string }>
> = {
  create: { planned: "New", done: "Created", color: "teal" },
  update: { planned: "Gains", done: "Changed", color: "cyan" },
  unchanged: { planned: "Known", done: "Unchanged", color: "gray" },
  failed: { planned: "Fails", done: "Failed", color: "red" },
};

interface PlanViewProps {
  readonly plan: ImportPlan;
  /** It was cancelled before its end. */
  readonly isCancelled?: boolean;
}

/** The preview or result of an import. */
export function PlanView({ plan, isCancelled = false }: PlanViewProps): ReactNode {
  const {
    format,
    summary,
    dry_run: isDry,
    complete,
    broke_off: end,
    hosts,
    dependencies = [],
    links = [],
    missing,
    skipped,
  } = plan;
  return (
    <div role="region" aria-label={isDry ? "Preview" : "Result"}>
      {!isDry && !isCancelled && (
        <Alert color={summary.hosts.failed > 0 ? "yellow" : "teal"} mb="md" role="status" title="The import is done">
          {summary.hosts.failed > 0
            ? `${summary.hosts.failed === 1 ? "One host" : `${summary.hosts.failed} hosts`} failed; everything else was imported.`
            : "Import complete."}
        </Alert>
      )}
      {!complete && (
        <Alert color="yellow" mb="md" title="The file is truncated">
          {end === null ? "" : `In line ${end.line}: ${end.reason}. `}The complete part was used.
        </Alert>
      )}
      <Title order={2} mb="sm">
        {isDry ? "Preview" : "Result"}{" "}
        <Text component="span" size="sm" c="dimmed" fw="normal">
          {formatLabel(format)}
        </Text>
      </Title>
      <Figures {...summary} />
      {hosts.length > 0 && (
        <ListPart
          title="Hosts"
          columns={columnsOf(isDry)}
          rows={hosts}
          idOf={({ line, name }) => `${line} ${name}`}
          nameOf={({ name }) => name}
        />
      )}
      {summary.dependencies !== undefined && (
        <DependenciesPart dependencies={dependencies} counts={summary.dependencies} isDry={isDry} />
      )}
      {links.length > 0 && (
        <ListPart
          title="Links"
          columns={linkColumns(isDry)}
          rows={links}
          idOf={(link) => `${link.line} ${linkText(link)}`}
          nameOf={linkText}
        />
      )}
      {summary.unanswered > 0 && (
        <Text size="sm" mt="md">
          {summary.unanswered} {summary.unanswered === 1 ? "address" : "addresses"} did not respond and will not be
          created (scanned with <code>-Pn</code>).
        </Text>
      )}
      {missing.length > 0 && <MissingPart missing={missing} summary={summary} />}
      {skipped.length > 0 && <Skipped parts={skipped} total={summary.skipped} />}
    </div>
  );
}

interface ListPartProps<Row> extends Pick<DataTableProps<Row>, "columns" | "rows" | "idOf" | "nameOf"> {
  readonly title: string;
}

/** A list of what is in the file, of which the first rows are shown until all are wanted. */
function ListPart<Row>({ title, rows, ...table }: ListPartProps<Row>): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, SHOWN);
  const label = `${title} in the file`;
  return (
    <>
      <Title order={3} mt="lg" mb="xs">
        {title}
      </Title>
      <div className={classes.plan} tabIndex={0} role="group" aria-label={label}>
        <DataTable label={label} rows={shown} {...table} />
      </div>
      {shown.length < rows.length && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setWhole(true)}>
          Show all {rows.length}
        </Button>
      )}
    </>
  );
}

function endText({ host_name, port }: ImportedLink["ends"][number]): string {
  return `${host_name} ${port ?? ""}`.trim();
}

function linkText({ ends }: ImportedLink): string {
  return ends.map(endText).join(" – ");
}

function linkColumns(isDry: boolean): readonly Column<ImportedLink>[] {
  const end = (place: number) => (link: ImportedLink) => {
    const found = link.ends[place];
    return found === undefined ? "" : endText(found);
  };
  return [
    {
      id: "action",
      label: "Result",
      narrow: true,
      cell: ({ action }) => (
        <Badge variant="light" color={ACTIONS[action].color} tt="none">
          {isDry ? ACTIONS[action].planned : ACTIONS[action].done}
        </Badge>
      ),
    },
    { id: "from", label: "From", cell: end(0) },
    { id: "to", label: "To", cell: end(1) },
    { id: "error", label: "", cell: ({ error }) => error?.message ?? "" },
  ];
}

function knownOf({ update, unchanged }: ImportPlan["summary"]["services"]): readonly (readonly [number, string])[] {
  return [
    [update, "updated"],
    [unchanged, "known"],
  ];
}

function Figures({ hosts, subnets, ports, services, dependencies, links, vlans }: ImportPlan["summary"]): ReactNode {
  return (
    <dl className={classes.figures}>
      <Figure label="Hosts" create={hosts.create} rest={[...knownOf(hosts), [hosts.failed, "failed"]]} />
      <Figure
        label="Subnets"
        create={subnets.create}
        rest={[
          [subnets.existing, "known"],
          [subnets.failed, "failed"],
        ]}
      />
      <Figure label="Ports" create={ports.create} rest={knownOf(ports)} />
      <Figure label="Services" create={services.create} rest={knownOf(services)} />
      {dependencies !== undefined && dependencies.create + dependencies.update + dependencies.unchanged > 0 && (
        <Figure
          label="Dependencies"
          create={dependencies.create}
          rest={[...knownOf(dependencies), [dependencies.failed, "failed"]]}
        />
      )}
      {links !== undefined && links.create + links.update + links.unchanged + links.failed > 0 && (
        <Figure label="Links" create={links.create} rest={[...knownOf(links), [links.failed, "failed"]]} />
      )}
      {vlans !== undefined && vlans.create + vlans.existing > 0 && (
        <Figure label="VLANs" create={vlans.create} rest={[[vlans.existing, "known"]]} />
      )}
    </dl>
  );
}

interface FigureProps {
  readonly label: string;
  readonly create: number;
  readonly rest: readonly (readonly [count: number, text: string])[];
}

function Figure({ label, create, rest }: FigureProps): ReactNode {
  const others = rest.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`);
  return (
    <div className={classes.figure}>
      <dt>{label}</dt>
      <dd className="numbers">
        <strong>{create}</strong> new
        <Text size="xs" c="dimmed" component="div">
          {others.length === 0 ? "\u00a0" : others.join(", ")}
        </Text>
      </dd>
    </div>
  );
}

function columnsOf(isDry: boolean): readonly Column<ImportedHost>[] {
  return [
    {
      id: "action",
      label: "Result",
      narrow: true,
      cell: ({ action }) => (
        <Badge variant="light" color={ACTIONS[action].color} tt="none">
          {isDry ? ACTIONS[action].planned : ACTIONS[action].done}
        </Badge>
      ),
    },
    {
      id: "name",
      label: "Host",
      cell: (host) => <HostCell host={host} isDry={isDry} />,
    },
    {
      id: "addresses",
      label: "Addresses",
      cell: ({ interfaces }) => (
        <ul className={classes.list}>
          {interfaces.map(({ ip_address }) => (
            <li key={ip_address} className="mono">
              {ip_address}
            </li>
          ))}
        </ul>
      ),
    },
    {
      id: "services",
      label: "Services",
      cell: ({ services }) =>
        services
          .map(
            ({ service_definition, guessed_from }) =>
              `${service_definition}${guessed_from === "port" ? " (guess)" : ""}`,
          )
          .join(", "),
    },
    { id: "ports", label: "Ports", cell: ({ ports }) => <span className="mono">{ports.map(portText).join(" ")}</span> },
    {
      id: "matched",
      label: "Recognized by",
      cell: ({ evidence = [] }) =>
        evidence.map(({ by, value }) => (
          <Text key={`${by} ${value}`} size="xs" component="div">
            {RECOGNIZED_BY[by]} <span className="mono">{value}</span>
          </Text>
        )),
    },
  ];
}

function HostCell({ host, isDry }: { readonly host: ImportedHost; readonly isDry: boolean }): ReactNode {
  const { name, changes, superseded, joined, error } = host;
  return (
    <>
      <strong>{name}</strong>
      {changes.slice(0, CHANGES_SHOWN).map((change) => (
        <Text key={change.path} size="xs" c="dimmed">
          {changeText(change)}
        </Text>
      ))}
      {changes.length > CHANGES_SHOWN && (
        <Text size="xs" c="dimmed">
          … and {changes.length - CHANGES_SHOWN} more
        </Text>
      )}
      {superseded.map(({ id, ip_address, host_name }) => (
        <Text key={id} size="xs" c="dimmed">
          takes {ip_address} from {host_name}
        </Text>
      ))}
      {joined !== null && (
        <Text size="xs" c="dimmed">
          is also {joined.name}, which {isDry ? "will be" : "was"} deleted
        </Text>
      )}
      {error !== null && (
        <Text size="xs" c="var(--mantine-color-error)">
          {error.message}
        </Text>
      )}
    </>
  );
}

interface DependenciesPartProps {
  readonly dependencies: readonly ImportedDependency[];
  readonly counts: NonNullable<ImportPlan["summary"]["dependencies"]>;
  readonly isDry: boolean;
}

/** What is connected to what, and the connections of which nothing is made. */
function DependenciesPart({ dependencies, counts, isDry }: DependenciesPartProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? dependencies : dependencies.slice(0, SHOWN);
  const left = Object.entries(counts.not_made).filter(([, count]) => count > 0);
  return (
    <>
      {dependencies.length > 0 && (
        <Title order={3} mt="lg" mb="xs">
          Dependencies
        </Title>
      )}
      {dependencies.length > 0 && (
        <ul className={classes.list} aria-label="Dependencies in the file">
          {shown.map((one) => (
            <li key={dependencyText(one)}>
              <Badge variant="light" color={ACTIONS[one.action].color} tt="none" mr="xs">
                {isDry ? ACTIONS[one.action].planned : ACTIONS[one.action].done}
              </Badge>
              <Text component="span" size="sm">
                {dependencyText(one)}
              </Text>
              {one.error !== null && (
                <Text size="xs" c="var(--mantine-color-error)">
                  {one.error.message}
                </Text>
              )}
            </li>
          ))}
        </ul>
      )}
      {shown.length < dependencies.length && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setWhole(true)}>
          Show all {dependencies.length}
        </Button>
      )}
      {left.length > 0 && (
        <Text size="sm" mt="md">
          Connections of which no dependency is made:{" "}
          {left.map(([reason, count]) => `${count} ${LEFT_OUT[reason as keyof typeof LEFT_OUT]}`).join(", ")}.
        </Text>
      )}
    </>
  );
}

const LEFT_OUT = {
  loopback: "on the loopback",
  broadcast: "to groups of machines",
  unknown_host: "with addresses of no known host",
  unclear: "unclear",
} as const;

/** Entities covered by the file that it has not seen. They are kept. */
function MissingPart({ missing, summary }: Pick<ImportPlan, "missing" | "summary">): ReactNode {
  const total = Object.values(summary.missing).reduce((sum, count) => sum + count, 0);
  return (
    <details>
      <Text component="summary" size="sm" mt="md">
        Not seen: {total} known {total === 1 ? "element" : "elements"}; nothing is deleted
      </Text>
      <ul>
        {missing.slice(0, SHOWN).map(({ entity, id, name, seen }) => (
          <Text component="li" size="sm" c="dimmed" key={id}>
            {entity} {name} – {seen === null ? "never seen" : <>last seen </>}
            {seen !== null && <When at={seen.last_at} />}
          </Text>
        ))}
        <MoreItems count={total - Math.min(missing.length, SHOWN)} />
      </ul>
    </details>
  );
}

function Skipped({ parts, total }: { readonly parts: readonly SkippedPart[]; readonly total: number }): ReactNode {
  return (
    <details>
      <Text component="summary" size="sm" mt="md">
        {total} {total === 1 ? "element was" : "elements were"} skipped
      </Text>
      <ul>
        {parts.slice(0, SHOWN).map(({ line, what, reason }, index) => (
          <Text component="li" size="sm" key={`${index} ${what}`}>
            {line}: {what} – {reason}
          </Text>
        ))}
        <MoreItems count={total - Math.min(parts.length, SHOWN)} />
      </ul>
    </details>
  );
}

/** Those of a list that are not shown. */
function MoreItems({ count }: { readonly count: number }): ReactNode {
  if (count <= 0) return null;
  return (
    <Text component="li" size="sm" c="dimmed">
      … and {count} more
    </Text>
  );
}
