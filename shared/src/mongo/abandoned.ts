import { type Document, type MongoClient, ReadConcern } from "mongodb";

// A process that is killed leaves its transactions open, and what they have written stays locked until MongoDB ends them,
// which takes a minute unless it is told otherwise. So a writer that meets a lock that does not go away looks for transactions
// that nothing can continue: idle ones whose connection is gone. Should a live process have lost nothing but a connection,
// its transaction fails as it does at any loss of a connection, and is made again.

const EVERY_MS = 500;
const IDLE_MICROS = 100_000;
const LOOK_MS = 1_000;

interface Found {
  readonly type: string;
  readonly host: string;
  readonly connectionId?: number;
  readonly lsid?: { readonly id: unknown };
  readonly transaction?: { readonly timeInactiveMicros: number };
}

/** Makes the function that ends abandoned transactions of this service's database user. It never rejects, and does nothing too often. */
export function createAbandonedSweep(client: MongoClient): () => Promise<void> {
  let lastAt = -Infinity;
  return async () => {
    if (performance.now() - lastAt < EVERY_MS) return;
    lastAt = performance.now();
    try {
      const admin = client.db("admin", { readConcern: new ReadConcern("local") });
      const options = { maxTimeMS: LOOK_MS };
      const found = await admin.aggregate<Found & Document>([LOOK, SHAPE], options).toArray();
      const killSessions = abandonedAmong(found);
      if (killSessions.length > 0) await admin.command({ killSessions });
    } catch {
      // A server that forbids to look ends them by itself, only later.
    }
  };
}

const LOOK = { $currentOp: { idleSessions: true, idleConnections: true } };
const SHAPE = { $project: { type: 1, host: 1, connectionId: 1, lsid: 1, "transaction.timeInactiveMicros": 1 } };

function abandonedAmong(found: readonly Found[]): { id: unknown }[] {
  const connectionOf = ({ host, connectionId }: Found): string => `${host} ${connectionId ?? ""}`;
  const connected = new Set(found.filter(({ type }) => type !== "idleSession").map(connectionOf));
  return found.flatMap((one) => {
    const { type, connectionId, lsid, transaction } = one;
    const isOpen = type === "idleSession" && transaction !== undefined && transaction.timeInactiveMicros > IDLE_MICROS;
    if (!isOpen || connectionId === undefined || lsid === undefined || connected.has(connectionOf(one))) return [];
    return [{ id: lsid.id }];
  });
}
