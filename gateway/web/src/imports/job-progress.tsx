import { Button, Group, Progress, Text } from "@mantine/core";
import { cancelImportJob, type ImportJob } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";

/** How far a running import is. @param job null while its file is being sent */
export function JobProgress({ job }: { readonly job: ImportJob | null }): ReactNode {
  const cancel = useWrite(cancelImportJob);
  const { done = 0, total = null } = job ?? {};
  return (
    <div>
      <Text size="sm" role="status" mb="xs" className="numbers">
        {textOf(job)}
      </Text>
      <Progress
        value={total === null || total === 0 ? 100 : (100 * done) / total}
        animated={total === null}
        aria-label="Progress"
      />
      {job !== null && !job.dry_run && (
        <Group justify="space-between" mt="sm">
          <Text size="sm" c="dimmed">
            You can leave this page. The import goes on, and is listed here.
          </Text>
          <Button
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate({ params: { id: job.id } })}
          >
            Cancel import
          </Button>
        </Group>
      )}
    </div>
  );
}

function textOf(job: ImportJob | null): string {
  if (job === null) return "Uploading the file …";
  if (job.state === "queued") return "Waiting for other imports …";
  if (job.total === null) return "Reading the file …";
  return `${job.dry_run ? "Comparing" : "Importing"}: ${job.done} of ${job.total} hosts`;
}
