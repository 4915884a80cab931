import type { Binary, Db } from "mongodb";
import { scopedCollection } from "./scoped-collection.js";

// Contents of jobs, which may be larger than a document, in blocks that expire.

const DAY_MS = 86_400_000;
/** Blocks read at a time. */
const READ_AT_ONCE = 4;

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

export interface JobBlocks {
  /** @param n of the block, from 0 */
  add(job: JobKey, n: number, data: Buffer): Promise<void>;
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
  return {
    add: async ({ _id: job_id, organization_id }, n, data) => {
      await blocks.insertMany([{ _id: `${job_id}.${n}`, organization_id, job_id, n, data, expires_at: expiry(days) }]);
    },
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
