import type { Db } from "mongodb";

// Which gateways live, and how far each has applied the key changes. A gateway is in here before it is granted a lease,
// so whoever commits a change and then reads the registry knows every gateway that may hold one. Ages are told by the
// clock of the database alone.

/** Milliseconds after which a gateway that was not heard of is gone; far longer than a lease. */
const GONE_MS = 15_000;
const REFRESH_MS = 5_000;

interface GatewayDocument {
  _id: string;
  applied: number;
  seen_at: Date;
}

export interface LiveGateway {
  readonly id: string;
  /** The number of the newest key change that it has said to have applied. */
  readonly applied: number;
}

export interface GatewayRegistry {
  live(): Promise<LiveGateway[]>;
  /** Registers a gateway that asks for a lease. @returns how many gateways live, this one included */
  renew(id: string, applied: number): Promise<number>;
  /** Forgets a gateway that serves nothing any more. @returns how many live */
  remove(id: string): Promise<number>;
}

export function createGatewayRegistry(db: Db): GatewayRegistry {
  const gateways = db.collection<GatewayDocument>("gateways");

  async function known(): Promise<(LiveGateway & { ageMs: number })[]> {
    return gateways
      .aggregate<LiveGateway & { ageMs: number }>([
        { $project: { _id: 0, id: "$_id", applied: 1, ageMs: { $subtract: ["$$NOW", "$seen_at"] } } },
        { $match: { ageMs: { $lt: GONE_MS } } },
      ])
      .toArray();
  }

  return {
    live: known,
    remove: async (id) => {
      await gateways.deleteOne({ _id: id });
      return (await known()).length;
    },
    renew: async (id, applied) => {
      const live = await known();
      const own = live.find((gateway) => gateway.id === id);
      // What it has applied is written when it moves: somebody at another replica may wait for it.
      if (own === undefined || own.ageMs >= REFRESH_MS || own.applied !== applied)
        await gateways.updateOne({ _id: id }, [{ $set: { applied, seen_at: "$$NOW" } }], { upsert: true });
      return own === undefined ? live.length + 1 : live.length;
    },
  };
}
