import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AnyBulkWriteOperation,
  type Collection,
  type Document,
  type Filter,
  MongoClient,
  type Timestamp,
} from "mongodb";
import { KINDS } from "@nts/shared/contract/kinds";
import { moved, type Seeding } from "./past.rules.js";

// The API cannot write the past. So the demo is seeded in minutes, and its times are then changed in the databases
// while no service runs: consistently in entities, journal and audit log.

const SEEDED = {
  topology: [
    ...Object.values(KINDS).flatMap(({ plural, parts }) => [plural, ...parts]),
    ...["journal", "webhooks", "webhook_states", "audit_notes"],
  ],
  identity: ["users", "api_keys", "audit"],
} as const;

const BATCH = 500;
const POLL_MS = 50;
const LONGEST_MS = 10_000;

export interface Databases {
  readonly mongodbUrl: string;
  /** The names of both databases. */
  readonly databases: Readonly<Record<keyof typeof SEEDED, string>>;
}

export interface MoveOptions extends Databases {
  readonly organizationId: string;
  readonly seeding: Seeding;
}

/**
 * Moves the times of a newly seeded organization. It may be repeated after an interruption.
 *
 * @returns the database time at which all was moved
 */
export async function moveIntoPast(options: MoveOptions): Promise<Timestamp> {
  const { mongodbUrl, databases, organizationId, seeding } = options;
  const client = new MongoClient(mongodbUrl);
  try {
    const open = (service: keyof typeof SEEDED, collection: string): Collection<Stored> =>
      client.db(databases[service]).collection(collection);
    for (const service of ["topology", "identity"] as const)
      for (const name of SEEDED[service])
        await moveAll(open(service, name), { organization_id: organizationId }, seeding);
    await moveAll(open("identity", "organizations"), { _id: organizationId }, seeding);
    const { operationTime } = await client.db(databases.topology).command({ ping: 1 });
    return operationTime as Timestamp;
  } finally {
    await client.close();
  }
}

/** Waits up to ten seconds until the journal has passed a time: until then, past reads show the old times. */
export async function untilJournalPasses(time: Timestamp, { mongodbUrl, databases }: Databases): Promise<void> {
  const client = new MongoClient(mongodbUrl);
  try {
    const tails = client.db(databases.topology).collection<{ told?: Timestamp | null }>("journal_tail");
    const deadline = Date.now() + LONGEST_MS;
    while (Date.now() < deadline) {
      const recorded = (await tails.findOne({}))?.told;
      if (recorded?.greaterThan(time)) return;
      await sleep(POLL_MS);
    }
  } finally {
    await client.close();
  }
}

interface Stored extends Document {
  readonly _id: string;
}

async function moveAll(collection: Collection<Stored>, filter: Filter<Stored>, seeding: Seeding): Promise<void> {
  let writes: AnyBulkWriteOperation<Stored>[] = [];
  const write = async (): Promise<void> => {
    if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
    writes = [];
  };
  for await (const { _id, ...fields } of collection.find(filter)) {
    const $set = Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => {
        const after = moved(seeding, value);
        return isDeepStrictEqual(value, after) ? [] : [[name, after]];
      }),
    );
    if (Object.keys($set).length > 0) writes.push({ updateOne: { filter: { _id }, update: { $set } } });
    if (writes.length === BATCH) await write();
  }
  await write();
}
