import type { UploadedBytes } from "@nts/shared/contract";
import { createImportQueue } from "./queue.js";
import { createSpool, type FileBlocks, type SpooledFile } from "./spool.js";
import { type Remote, startImportThread, type ThreadLimits } from "./thread.js";
import { createUnreadResults, type UnreadLimits } from "./unread.js";

// Resources shared by the imports of a process: memory, slots, threads. An import has its slot and its thread until it is
// done, whether or not its result has been read.

const MIB = 1_048_576;

export interface RunnerLimits {
  /** Maximum bytes of unread files. */
  readonly spool: { readonly totalBytes: number; readonly organizationBytes: number };
  /** Maximum bytes of unread results. */
  readonly unread: UnreadLimits;
  readonly running: number;
  readonly runningOfOrganization: number;
  readonly waiting: number;
  readonly waitingOfOrganization: number;
  readonly waitMs: number;
  /** How long a job waits for its slot. */
  readonly jobWaitMs: number;
  /** Jobs with more text run one at a time. */
  readonly smallBytes: number;
  readonly thread: ThreadLimits;
  /** Of a job. */
  readonly jobThread: ThreadLimits;
}

/** Response headers are due in eight seconds: queueing and reading the largest file fit well. */
export const RUNNER_LIMITS: RunnerLimits = {
  spool: { totalBytes: 64 * MIB, organizationBytes: 40 * MIB },
  unread: { totalBytes: 32 * MIB, organizationBytes: 8 * MIB },
  running: 4,
  runningOfOrganization: 2,
  waiting: 16,
  waitingOfOrganization: 2,
  waitMs: 2_500,
  jobWaitMs: 900_000,
  smallBytes: 2 * MIB,
  thread: { seconds: 10, memoryMb: 160 },
  jobThread: { seconds: 60, memoryMb: 160 },
};

/** Given to an import when it starts. */
export interface Turn {
  readonly session: Remote;
  /** The file, in memory that may be transferred once. */
  takeFile(): FileBlocks;
}

export interface ImportRunner {
  /**
   * Receives a file, waits for a slot, and runs an import in its own thread until it ends.
   *
   * @param work yields the text of the result
   * @throws AppError `rate_limited` · `unavailable`
   */
  run(
    organizationId: string,
    file: UploadedBytes,
    work: (turn: Turn) => AsyncGenerator<string>,
  ): AsyncGenerator<string>;
  /** The same without a thread. @param work gets the file, which may be transferred once */
  runWithFile(
    organizationId: string,
    file: UploadedBytes,
    work: (takeFile: Turn["takeFile"]) => AsyncGenerator<string>,
  ): AsyncGenerator<string>;
  /** Receives a file for {@link runLater}. @throws AppError `rate_limited` · `unavailable` */
  receive(organizationId: string, file: UploadedBytes): Promise<SpooledFile>;
  /**
   * Waits for a slot, for long if need be, and runs an import in its own thread. Large ones run one at a time, since each
   * takes much memory. Its result is read at once.
   *
   * @param textBytes of the file
   * @throws AppError `rate_limited` · `unavailable`
   */
  runLater(organizationId: string, textBytes: number, work: (session: Remote) => Promise<void>): Promise<void>;
  running(): number;
  waiting(): number;
  spooledBytes(): number;
  unreadBytes(): number;
}

/** @param startThread creates the threads of import sessions */
export function createImportRunner(
  limits: RunnerLimits = RUNNER_LIMITS,
  startThread = startImportThread,
): ImportRunner {
  const spool = createSpool(limits.spool);
  const queue = createImportQueue(limits);
  const large = createImportQueue({ ...limits, running: 1 });
  const unread = createUnreadResults(limits.unread);
  const inSlot: ImportRunner["runWithFile"] = async function* (organizationId, file, work) {
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
  const runWithFile: ImportRunner["runWithFile"] = (organizationId, file, work) =>
    unread.ahead(organizationId, inSlot(organizationId, file, work));
  return {
    running: queue.running,
    waiting: () => queue.waiting() + large.waiting(),
    spooledBytes: spool.bytes,
    unreadBytes: unread.bytes,
    runWithFile,
    receive: spool.receive,
    runLater: async (organizationId, textBytes, work) => {
      const leaves: (() => void)[] = [];
      try {
        for (const one of textBytes > limits.smallBytes ? [large, queue] : [queue])
          leaves.push(await one.enter(organizationId, limits.jobWaitMs));
        const thread = startThread(limits.jobThread);
        try {
          await work(thread.session);
        } finally {
          await thread.end();
        }
      } finally {
        for (const leave of leaves) leave();
      }
    },
    run: (organizationId, file, work) =>
      runWithFile(organizationId, file, async function* (takeFile) {
        const thread = startThread(limits.thread);
        try {
          yield* work({ session: thread.session, takeFile });
        } finally {
          await thread.end();
        }
      }),
  };
}
