import type { UploadedBytes } from "@nts/shared/contract";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { createImportQueue } from "./queue.js";
import { createSpool, type FileBlocks, type SpooledFile } from "./spool.js";
import { type Remote, startImportThread } from "./thread.js";
import { createImportThreads } from "./threads.js";
import { textBytesOf } from "./unpack.js";
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
  /** Of imports with more text, one job and one other run at a time: each takes much memory. */
  readonly smallBytes: number;
  /** Large jobs that wait, whose files are not in memory. */
  readonly largeWaiting: number;
  /** Processor seconds of an import. */
  readonly seconds: number;
  readonly jobSeconds: number;
  /** JavaScript heap of a thread. */
  readonly memoryMb: number;
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
  largeWaiting: 200,
  seconds: 10,
  jobSeconds: 60,
  memoryMb: 96,
};

/** Given to an import when it starts. */
export interface Turn {
  readonly session: Remote;
  /** The file, in memory that may be transferred once. */
  takeFile(): FileBlocks;
}

/** Whose job it is. */
export interface JobOwner {
  readonly organizationId: string;
  /** True if it imports a report of a collector. Those of an organization run one at a time, and take no places from its people. */
  readonly isOfCollector: boolean;
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
   * Waits for a slot, for long if need be, and runs an import in its own thread. Its result is read at once.
   *
   * @param textBytes of the file
   * @throws AppError `rate_limited` · `unavailable`
   */
  runLater(owner: JobOwner, textBytes: number, work: (session: Remote) => Promise<void>): Promise<void>;
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
  const largeJobs = createImportQueue({ ...limits, running: 1, waiting: limits.largeWaiting });
  const ofCollectors = createFairQueue({ ofKey: 1 });
  const unread = createUnreadResults(limits.unread);
  const threads = createImportThreads(() => startThread(limits.memoryMb));

  /** @param inThread whether it takes a thread, so that large ones run one at a time */
  async function* inSlot(
    organizationId: string,
    file: UploadedBytes,
    {
      inThread,
      work,
    }: { inThread: boolean; work: (takeFile: Turn["takeFile"], isLarge: boolean) => AsyncGenerator<string> },
  ): AsyncGenerator<string> {
    const spooled = await spool.receive(organizationId, file);
    const leaves: (() => void)[] = [];
    try {
      const isLarge = inThread && (await textBytesOf(spooled.blocks, limits.smallBytes)) > limits.smallBytes;
      for (const one of isLarge ? [large, queue] : [queue]) leaves.push(await one.enter(organizationId));
      yield* work(() => {
        spooled.release();
        return spooled.blocks;
      }, isLarge);
    } finally {
      for (const leave of leaves) leave();
      spooled.release();
    }
  }

  return {
    running: queue.running,
    waiting: () => [queue, large, largeJobs, ofCollectors].reduce((sum, { waiting }) => sum + waiting(), 0),
    spooledBytes: spool.bytes,
    unreadBytes: unread.bytes,
    runWithFile: (organizationId, file, work) =>
      unread.ahead(organizationId, inSlot(organizationId, file, { inThread: false, work })),
    receive: (organizationId, file) => {
      if (queue.running() === 0) threads.expect();
      return spool.receive(organizationId, file);
    },
    runLater: async ({ organizationId, isOfCollector }, textBytes, work) => {
      const key = isOfCollector ? `collectors of ${organizationId}` : organizationId;
      const isLarge = textBytes > limits.smallBytes;
      const places = isLarge ? [largeJobs, queue] : [queue];
      const leaves: (() => void)[] = [];
      try {
        for (const one of isOfCollector ? [ofCollectors, ...places] : places)
          leaves.push(await one.enter(key, limits.jobWaitMs));
        const thread = threads.take(isLarge);
        let wentWell = false;
        try {
          await work(thread.begin(limits.jobSeconds));
          wentWell = true;
        } finally {
          await threads.leave(thread, wentWell);
        }
      } finally {
        for (const leave of leaves) leave();
      }
    },
    run: (organizationId, file, work) => {
      const inOwnThread = async function* (takeFile: Turn["takeFile"], isLarge: boolean): AsyncGenerator<string> {
        const thread = threads.take(isLarge);
        let wentWell = false;
        try {
          yield* work({ session: thread.begin(limits.seconds), takeFile });
          wentWell = true;
        } finally {
          await threads.leave(thread, wentWell);
        }
      };
      return unread.ahead(organizationId, inSlot(organizationId, file, { inThread: true, work: inOwnThread }));
    },
  };
}
