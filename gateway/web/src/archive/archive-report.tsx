import { Alert, Anchor, Text, Title } from "@mantine/core";
import { ApiError } from "@nts/shared/client";
import { type ArchiveFailure, type ArchiveImport, KIND_NAMES, type KindName } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { type Column, DataTable } from "../list/data-table.js";
import { kindText } from "../parts/texts.js";
import { hostPath } from "../paths.js";
import classes from "./archive.module.css";

type Row = ArchiveImport["summary"][KindName] & { readonly kind: KindName };

const rowsOf = ({ summary }: ArchiveImport): Row[] => KIND_NAMES.map((kind) => ({ kind, ...summary[kind] }));

/** True if everything already matches the archive. */
export function isNothing(report: ArchiveImport): boolean {
  return rowsOf(report).every(({ create, update }) => create + update === 0);
}

/** The preview or result of an import. */
export function ArchiveReport({ report }: { readonly report: ArchiveImport }): ReactNode {
  const { dry_run: isDry, failed } = report;
  const lost = rowsOf(report).reduce((sum, row) => sum + row.failed, 0);
  return (
    <div role="region" aria-label={isDry ? "Preview" : "Result"}>
      {!isDry && (
        <Alert color={lost > 0 ? "yellow" : "teal"} mb="md" role="status" title="The import is done">
          {lost === 0 ? "Import complete." : `${lost} could not be written; everything else was imported.`}
        </Alert>
      )}
      <Title order={3} mb="xs">
        {isDry ? "Preview" : "Result"}
      </Title>
      <div className={classes.report} tabIndex={0} role="group" aria-label="Entities by kind">
        <DataTable
          label="Entities by kind"
          columns={isDry ? PLANNED : DONE}
          rows={rowsOf(report)}
          idOf={({ kind }) => kind}
          nameOf={({ kind }) => kindText(kind)}
        />
      </div>
      {failed.length > 0 && (
        <>
          <Title order={3} mt="lg" mb="xs">
            {isDry ? "Would fail" : "Failed"}
          </Title>
          <div className={classes.report} tabIndex={0} role="group" aria-label="Failures">
            <DataTable
              label="Failures"
              columns={FAILURES}
              rows={failed}
              idOf={({ line }) => String(line)}
              nameOf={({ line }) => `Line ${line}`}
            />
          </div>
        </>
      )}
    </div>
  );
}

function figures(create: string, update: string): readonly Column<Row>[] {
  const figure = (id: "create" | "update" | "unchanged" | "failed", label: string): Column<Row> => ({
    ...{ id, label, numbers: true, narrow: true },
    cell: (row) => row[id],
  });
  return [
    { id: "kind", label: "Kind", cell: ({ kind }) => <strong>{kindText(kind)}</strong> },
    figure("create", create),
    figure("update", update),
    figure("unchanged", "Unchanged"),
    figure("failed", "Failed"),
  ];
}

const PLANNED = figures("New", "Restored");
const DONE = figures("Created", "Updated");

const place = { id: "line", label: "Line", numbers: true, narrow: true } as const;
const said = <T extends { readonly code: string; readonly message: string }>(): Column<T> => ({
  id: "why",
  label: "Why",
  cell: ({ code, message }) => (
    <>
      {message}
      <Text size="xs" c="dimmed" className="mono">
        {code}
      </Text>
    </>
  ),
});

const FAILURES: readonly Column<ArchiveFailure>[] = [
  { ...place, cell: ({ line }) => line },
  { id: "kind", label: "Kind", narrow: true, cell: ({ entity }) => entity },
  said(),
  {
    id: "taken",
    label: "Taken by",
    narrow: true,
    cell: ({ taken }) =>
      taken !== null && (
        <>
          <Anchor component={Link} to={hostPath(taken.host_id)} size="sm">
            a host
          </Anchor>{" "}
          (line {taken.line})
        </>
      ),
  },
];

interface LineFault {
  readonly line: number;
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

const FAULTS: readonly Column<LineFault>[] = [
  { ...place, cell: ({ line }) => line },
  { id: "path", label: "Place", narrow: true, cell: ({ path }) => <span className="mono">{path}</span> },
  said(),
];

/** The faults of a rejected file. */
export function Faults({ error }: { readonly error: Error }): ReactNode {
  if (!(error instanceof ApiError) || error.code !== "archive_invalid") return null;
  const faults = error.params["faults"] as readonly LineFault[];
  return (
    <div className={classes.report} tabIndex={0} role="group" aria-label="Errors in the file">
      <DataTable
        label="Errors in the file"
        columns={FAULTS}
        rows={faults}
        idOf={({ line, path, code }) => `${line} ${path} ${code}`}
        nameOf={({ line }) => `Line ${line}`}
      />
    </div>
  );
}
