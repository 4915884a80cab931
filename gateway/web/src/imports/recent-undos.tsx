import { Button, Text, Title } from "@mantine/core";
import { cancelRevertJob, hasEnded, listRevertJobs, type RevertJob } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne, useWrite } from "../api/queries.js";
import { type Column, DataTable } from "../list/data-table.js";
import { Panel } from "../parts/page.js";
import { When } from "../parts/when.js";
import { JobState } from "./job-state.js";

/** Milliseconds between reads while one runs. */
const EVERY_MS = 2_000;
const SHOWN = 5;

function isAnyOpen(jobs: readonly RevertJob[]): boolean {
  return jobs.some((job) => !hasEnded(job));
}

/** The last undos of large imports, which go on when the page is left, and can be ended. */
export function RecentUndos(): ReactNode {
  const cancel = useWrite(cancelRevertJob);
  const all = useOne(listRevertJobs, {}, { everyMs: EVERY_MS, pollsAfter: isAnyOpen });
  const jobs = (all.data?.data ?? []).filter(({ dry_run }) => !dry_run).slice(0, SHOWN);
  if (jobs.length === 0) return null;
  return (
    <Panel pad>
      <Title order={2} mb="sm">
        Undos of large imports
      </Title>
      <DataTable
        label="Undos of large imports"
        columns={COLUMNS}
        rows={jobs}
        idOf={({ id }) => id}
        nameOf={({ created_at }) => `undo of ${created_at}`}
        actions={(job) =>
          !hasEnded(job) && (
            <Button
              size="compact-sm"
              variant="subtle"
              loading={cancel.isPending}
              onClick={() => cancel.mutate({ params: { id: job.id } })}
            >
              Cancel
            </Button>
          )
        }
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<RevertJob>[] = [
  {
    id: "state",
    label: "State",
    cell: ({ state, error }) => (
      <>
        <JobState state={state} />
        {error !== null && (
          <Text size="sm" mt={4}>
            {error.message}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "entities",
    label: "Undone",
    numbers: true,
    narrow: true,
    cell: ({ done, total }) =>
      total === null ? "Counting …" : `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`,
  },
  { id: "at", label: "Started", numbers: true, narrow: true, cell: ({ created_at }) => <When at={created_at} /> },
];
