import { type Document, type MongoClient, ReadConcern } from "mongodb";

// A killed process leaves its transactions and their locks open for up to a minute, so a blocked writer aborts idle
// ones whose connection is closed. A live process that only lost its connection fails and retries as usual.

const EVERY_MS = 500;
const IDLE_MICROS = 100_000;
const LOOK_MS = 1_000;

interface OpenSession {
  readonly type: string;
  readonly host: string;
  readonly connectionId?: number;
  readonly lsid?: { readonly id: unknown };
  readonly transaction?: { readonly timeInactiveMicros: number };
}

/**
 * Creates a function that aborts abandoned transactions of this service's database user. It never rejects, and is
 * throttled.
 */
export function createAbandonedSweep(client: MongoClient): () => Promise<void> {
  let lastAt = -Infinity;
  return async () => {
    if (performance.now() - lastAt < EVERY_MS) return;
    lastAt = performance.now();
    try {
      const admin = client.db("admin", { readConcern: new ReadConcern("local") });
      const options = { maxTimeMS: LOOK_MS };
      const found = await admin.aggregate<OpenSession & Document>([LOOK, SHAPE], options).toArray();
      const killSessions = abandonedAmong(found);
      if (killSessions.length > 0) await admin.command({ killSessions });
    } catch {
      // A server that does not permit this aborts them itself, only later.
    }
  };
}

const LOOK = { $currentOp: { idleSessions: true, idleConnections: true } };
const SHAPE = { $project: { type: 1, host: 1, connectionId: 1, lsid: 1, "transaction.timeInactiveMicros": 1 } };

function abandonedAmong(found: readonly OpenSession[]): { id: unknown }[] {
  const connectionOf = ({ host, connectionId }: OpenSession): string => `${host} ${connectionId ?? ""}`;
  const connected = new Set(found.filter(({ type }) => type !== "idleSession").map(connectionOf));
  return found.flatMap((one) => {
    const { type, connectionId, lsid, transaction } = one;
    const isOpen = type === "idleSession" && transaction !== undefined && transaction.timeInactiveMicros > IDLE_MICROS;
    if (!isOpen || connectionId === undefined || lsid === undefined || connected.has(connectionOf(one))) return [];
    return [{ id: lsid.id }];
  });
}
