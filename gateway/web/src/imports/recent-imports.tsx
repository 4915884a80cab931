import { Anchor, Button, Title } from "@mantine/core";
import { hasEnded, type ImportJob, listImportJobs } from "@nts/shared/contract";
import { Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useUndo } from "../activity/use-undo.js";
import { useOne } from "../api/queries.js";
import { type Column, DataTable } from "../list/data-table.js";
import { Panel } from "../parts/page.js";
import { When } from "../parts/when.js";
import { formatLabel } from "./formats.js";
import { JobState } from "./job-state.js";

/** Milliseconds between reads while an import runs. */
const EVERY_MS = 2_000;
const SHOWN = 20;

function isAnyOpen(jobs: readonly ImportJob[]): boolean {
  return jobs.some((job) => !hasEnded(job));
}

interface RecentImportsProps {
  readonly nameOf: (networkId: string) => string;
  /** The address of a job's page. */
  readonly linkOf: (id: string) => string;
}

/** The imports of the last days, which can be returned to and undone. */
export function RecentImports({ nameOf, linkOf }: RecentImportsProps): ReactNode {
  const undo = useUndo();
  const all = useOne(listImportJobs, {}, { everyMs: EVERY_MS, pollsAfter: isAnyOpen });
  const jobs = (all.data?.data ?? []).filter(({ dry_run }) => !dry_run).slice(0, SHOWN);
  if (jobs.length === 0) return null;
  return (
    <Panel pad>
      <Title order={2} mb="sm">
        Recent imports
      </Title>
      <DataTable
        label="Recent imports"
        columns={columnsFor(nameOf, linkOf)}
        rows={jobs}
        idOf={({ id }) => id}
        nameOf={(job) => `${formatLabel(job.format)} of ${job.created_at}`}
        actions={(job) =>
          hasEnded(job) &&
          job.done > 0 && (
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<Undo2 size={14} aria-hidden />}
              onClick={() => undo(job.request_id, job.done)}
            >
              Undo
            </Button>
          )
        }
      />
    </Panel>
  );
}

const columnsFor = (
  nameOf: RecentImportsProps["nameOf"],
  linkOf: RecentImportsProps["linkOf"],
): readonly Column<ImportJob>[] => [
  {
    id: "format",
    label: "File",
    cell: ({ id, format }) => (
      <Anchor component={Link} to={linkOf(id)} fw={600} inherit>
        {formatLabel(format)}
      </Anchor>
    ),
  },
  { id: "network", label: "Network", cell: ({ network_id }) => nameOf(network_id) },
  {
    id: "state",
    label: "State",
    narrow: true,
    cell: ({ state }) => <JobState state={state} />,
  },
  {
    id: "hosts",
    label: "Hosts",
    numbers: true,
    narrow: true,
    cell: ({ done, total }) => (total === null || done === total ? String(done) : `${done} of ${total}`),
  },
  { id: "at", label: "Started", numbers: true, narrow: true, cell: ({ created_at }) => <When at={created_at} /> },
];
