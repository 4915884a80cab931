import { getImportJob, hasEnded, importFile, type ImportJobWithPlan, listImportJobs } from "@nts/shared/contract";
import type { Input } from "@nts/shared/client";
import { failureOf } from "@nts/shared/follow-job";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api } from "../api/client.js";
import { readAgain } from "../api/queries.js";

/** Seconds that a read of a running job waits for its end. */
const WAIT_SECONDS = 1;

/** An import that runs as a job. */
export interface FollowedImport {
  /** Starts another one. */
  start(input: Input<typeof importFile>): void;
  reset(): void;
  /** The job as last read; null before it is known. */
  readonly job: ImportJobWithPlan | null;
  readonly isPending: boolean;
  readonly error: Error | null;
}

/**
 * Starts imports and follows them.
 *
 * @param id of the job to follow; null for none
 * @param onStarted receives the id of a started one; null when it is given up
 */
export function useImportJob(id: string | null, onStarted: (id: string | null) => void): FollowedImport {
  const queries = useQueryClient();
  const starting = useMutation({
    mutationFn: (input: Input<typeof importFile>) => api.start(importFile, input),
    onSuccess: ({ id: started }) => {
      onStarted(started);
      return queries.invalidateQueries({ queryKey: [listImportJobs.operationId] });
    },
  });
  const following = useQuery({
    queryKey: [getImportJob.operationId, id],
    queryFn: ({ signal }) =>
      api.call(getImportJob, { params: { id: id ?? "" }, query: { wait: WAIT_SECONDS }, signal }),
    enabled: id !== null,
    // The server waits.
    refetchInterval: ({ state: { data } }) => (data === undefined || hasEnded(data) ? false : 1),
    staleTime: ({ state: { data } }) => (data !== undefined && hasEnded(data) ? Infinity : 0),
  });
  const job = id === null ? null : (following.data ?? null);
  const isOver = job !== null && hasEnded(job);
  const seen = useRef<string | null>(null);
  useEffect(() => {
    if (job === null || !isOver || job.dry_run || seen.current === job.id) return;
    seen.current = job.id;
    void readAgain(queries);
  }, [job, isOver, queries]);
  const failed = job === null ? null : failureOf(job);
  return {
    start: (input) => {
      onStarted(null);
      starting.mutate(input);
    },
    reset: () => {
      starting.reset();
      onStarted(null);
    },
    job,
    isPending: starting.isPending || (id !== null && !isOver && following.error === null),
    error: starting.error ?? following.error ?? failed,
  };
}
