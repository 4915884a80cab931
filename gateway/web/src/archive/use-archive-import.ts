import { ApiError } from "@nts/shared/client";
import { type ArchiveImport, importArchive } from "@nts/shared/contract";
import { useMutation, type UseMutationResult } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isTransient } from "../api/failure.js";
import { useSend } from "../api/queries.js";
import { type Progress, progressIn } from "./progress.js";

/** Automatic retries; each one resumes where the last one stopped. */
const MOST_ATTEMPTS = 5;
const WAIT_MS = 1_000;

interface Sent {
  readonly file: File;
  readonly isDry: boolean;
}

export interface ArchiveSending {
  readonly sending: UseMutationResult<ArchiveImport, Error, Sent>;
  /** Null during upload and validation. */
  readonly progress: Progress | null;
  /** True between a lost connection or 429 and the retry. */
  readonly isInterrupted: boolean;
  /** Aborts the request. */
  readonly cancel: () => void;
}

/** Uploads an archive, and retries when the connection is lost, since imports are idempotent. */
export function useArchiveImport(): ArchiveSending {
  const send = useSend();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [isInterrupted, setInterrupted] = useState(false);
  const ending = useRef<AbortController>(null);
  useEffect(() => () => ending.current?.abort(), []);
  const sending = useMutation({
    mutationFn: async ({ file, isDry }: Sent) => {
      const { signal } = (ending.current = new AbortController());
      for (let attempt = 1; ; attempt++) {
        setProgress(null);
        try {
          const onText = (text: string): void => {
            setInterrupted(false);
            setProgress(progressIn(text));
          };
          return await send(importArchive, { query: { dry_run: isDry }, body: file, onText, signal });
        } catch (error) {
          if (signal.aborted || !mayPass(error) || attempt === MOST_ATTEMPTS) throw error;
          setInterrupted(true);
          await rest(waitOf(error), signal);
        }
      }
    },
    onSettled: () => setInterrupted(false),
  });
  const cancel = (): void => {
    ending.current?.abort();
    sending.reset();
  };
  return { sending, progress, isInterrupted, cancel };
}

function mayPass(error: unknown): boolean {
  return isTransient(error) || (error instanceof ApiError && error.status === 429);
}

function waitOf(error: unknown): number {
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  return seconds === null ? WAIT_MS : seconds * 1_000;
}

/** @throws the abort reason of the signal */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  signal.throwIfAborted();
}
