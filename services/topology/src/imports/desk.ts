import type { UploadedBytes } from "@nts/shared/contract";
import { createImportQueue } from "./queue.js";
import { createSpool, type FileBlocks } from "./spool.js";
import { type Remote, startImportThread, type ThreadLimits } from "./thread.js";

// What imports share in a process: memory for files, places to run, threads.

const MIB = 1_048_576;

export interface DeskLimits {
  /** Of files that have not been read yet, in bytes. */
  readonly spool: { readonly totalBytes: number; readonly organizationBytes: number };
  readonly running: number;
  readonly runningOfOrganization: number;
  readonly waiting: number;
  readonly waitingOfOrganization: number;
  readonly waitMs: number;
  readonly thread: ThreadLimits;
}

/** The head of an answer has eight seconds: waiting, and reading a file of the largest size, are well within them. */
export const DESK_LIMITS: DeskLimits = {
  spool: { totalBytes: 64 * MIB, organizationBytes: 40 * MIB },
  running: 4,
  runningOfOrganization: 2,
  waiting: 16,
  waitingOfOrganization: 2,
  waitMs: 2_500,
  thread: { seconds: 10, memoryMb: 160 },
};

/** What an import is given when its turn has come. */
export interface Turn {
  readonly session: Remote;
  /** The file, in memory that may be handed on once. */
  takeFile(): FileBlocks;
}

export interface ImportDesk {
  /**
   * Receives a file, waits for a place, and runs an import of it in a thread of its own, until the import ends.
   *
   * @throws AppError `rate_limited` · `unavailable`
   */
  run<T>(organizationId: string, file: UploadedBytes, work: (turn: Turn) => AsyncGenerator<T>): AsyncGenerator<T>;
  /** Does the same for an import that needs no thread. @param work is given the file, which may be handed on once */
  hold<T>(
    organizationId: string,
    file: UploadedBytes,
    work: (takeFile: Turn["takeFile"]) => AsyncGenerator<T>,
  ): AsyncGenerator<T>;
  running(): number;
  waiting(): number;
  spooledBytes(): number;
}

/** @param startThread where the sessions of imports run */
export function createImportDesk(limits: DeskLimits = DESK_LIMITS, startThread = startImportThread): ImportDesk {
  const spool = createSpool(limits.spool);
  const queue = createImportQueue(limits);
  const hold: ImportDesk["hold"] = async function* (organizationId, file, work) {
    const spooled = await spool.receive(organizationId, file);
    try {
      const leave = await queue.enter(organizationId);
      try {
        yield* work(() => {
          spooled.release();
          return spooled.blocks;
        });
      } finally {
        leave();
      }
    } finally {
      spooled.release();
    }
  };
  return {
    running: queue.running,
    waiting: queue.waiting,
    spooledBytes: spool.bytes,
    hold,
    run: (organizationId, file, work) =>
      hold(organizationId, file, async function* (takeFile) {
        const thread = startThread(limits.thread);
        try {
          yield* work({ session: thread.session, takeFile });
        } finally {
          await thread.end();
        }
      }),
  };
}
