import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Binary, Db } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { scopedCollection } from "./scoped-collection.js";

// Contents of jobs, which may be larger than a document, in blocks that expire.

const DAY_MS = 86_400_000;
/** Blocks read at a time, and written: few of them are in memory more than once, and others reach the database between them. */
const READ_AT_ONCE = 1;
const WRITTEN_AT_ONCE = 1;
/** Bytes of a block of a file, and of a text: so many are in memory of each that arrives. */
const FILE_BLOCK_BYTES = 1_048_576;
const TEXT_BLOCK_BYTES = 262_144;
const compressed = promisify(gzip);
const RETRY_SECONDS = 5;

/** A job of an organization. */
export interface JobKey {
  readonly _id: string;
  readonly organization_id: string;
}

interface BlockDocument {
  /** Of the job, with the number of the block. */
  _id: string;
  organization_id: string;
  job_id: string;
  n: number;
  data: Binary | Buffer;
  expires_at: Date;
}

type Blocks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface JobBlocks {
  /** @param n of the block, from 0 */
  add(job: JobKey, n: number, data: Buffer): Promise<void>;
  /**
   * Adds a whole file, as it arrives. Files of organizations are written in turns, block by block.
   *
   * @param mostMs how long its blocks wait for their turns, together
   * @throws AppError `unavailable` if that is not enough
   */
  addFile(job: JobKey, file: Blocks, mostMs?: number): Promise<void>;
  /** The same, of a text. Each block is compressed by itself, so that whoever reads it has to unpack no more than one. */
  addText(job: JobKey, text: Blocks, mostMs?: number): Promise<void>;
  read(job: JobKey): AsyncGenerator<Buffer>;
  /** Removes those of some jobs. */
  remove(organizationId: string, jobIds: readonly string[]): Promise<void>;
}

/** When something expires that is kept for some days from now on. */
export function expiry(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}

export function createJobBlocks(db: Db, collection: string, days: number): JobBlocks {
  const blocks = scopedCollection<BlockDocument>(db, collection);
  const turns = createFairQueue({
    atATime: WRITTEN_AT_ONCE,
    refusal: () => new AppError("unavailable", { retry_after_seconds: RETRY_SECONDS }),
  });

  async function add({ _id: job_id, organization_id }: JobKey, n: number, data: Buffer): Promise<void> {
    await blocks.insertMany([{ _id: `${job_id}.${n}`, organization_id, job_id, n, data, expires_at: expiry(days) }]);
  }

  /** Adds blocks in turns with those of others. @param packed makes of a block what is stored, when it is its turn */
  async function addInTurns(
    job: JobKey,
    all: AsyncIterable<Buffer>,
    { mostMs, packed }: { mostMs: number | undefined; packed: (block: Buffer) => Buffer | Promise<Buffer> },
  ): Promise<void> {
    let left = mostMs;
    let n = 0;
    for await (const block of all) {
      const askedAt = performance.now();
      const leave = await turns.enter(job.organization_id, left);
      if (left !== undefined) left = Math.max(0, left - (performance.now() - askedAt));
      try {
        await add(job, n++, await packed(block));
      } finally {
        leave();
      }
    }
  }

  return {
    add,
    addFile: (job, file, mostMs) =>
      addInTurns(job, blocksOf(file, FILE_BLOCK_BYTES), { mostMs, packed: (block) => block }),
    addText: (job, text, mostMs) =>
      addInTurns(job, blocksOf(text, TEXT_BLOCK_BYTES), { mostMs, packed: (block) => compressed(block, { level: 1 }) }),
    read: async function* ({ _id: job_id, organization_id }) {
      const options = { sort: { job_id: 1, n: 1 }, batchSize: READ_AT_ONCE } as const;
      for await (const { data } of blocks.find({ organization_id, job_id }, options))
        yield Buffer.isBuffer(data) ? data : Buffer.from(data.buffer);
    },
    remove: async (organization_id, jobIds) => {
      await blocks.deleteMany({ organization_id, job_id: { $in: [...jobIds] } });
    },
  };
}

/** A file in blocks of equal size, each of which is written before the next one takes its memory. */
async function* blocksOf(file: Blocks, size: number): AsyncGenerator<Buffer> {
  const block = Buffer.allocUnsafeSlow(size);
  let used = 0;
  for await (const piece of file)
    for (let from = 0; from < piece.length;) {
      const part = piece.subarray(from, from + size - used);
      block.set(part, used);
      used += part.length;
      from += part.length;
      if (used < size) continue;
      yield block;
      used = 0;
    }
  if (used > 0) yield block.subarray(0, used);
}
