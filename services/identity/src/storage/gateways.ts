import { REVOCATION } from "@nts/shared/timing";
import type { Db } from "mongodb";

// The live gateways and the changes they have applied. A gateway is registered before it gets a lease, so reading the
// registry after a commit finds every gateway that may hold one. Ages use the database's clock only.

const REFRESH_MS = 5_000;

interface GatewayDocument {
  _id: string;
  applied: number;
  seen_at: Date;
}

export interface LiveGateway {
  readonly id: string;
  /** Number of the newest key change that it reported as applied. */
  readonly applied: number;
}

export interface GatewayRegistry {
  live(): Promise<LiveGateway[]>;
  /** Registers a gateway that requests a lease. @returns the number of live gateways, including this one */
  renew(id: string, applied: number): Promise<number>;
  /** Removes a gateway that has stopped serving. @returns the number of live gateways */
  remove(id: string): Promise<number>;
}

export function createGatewayRegistry(db: Db): GatewayRegistry {
  const gateways = db.collection<GatewayDocument>("gateways");

  async function known(): Promise<(LiveGateway & { ageMs: number })[]> {
    return gateways
      .aggregate<LiveGateway & { ageMs: number }>([
        { $project: { _id: 0, id: "$_id", applied: 1, ageMs: { $subtract: ["$$NOW", "$seen_at"] } } },
        { $match: { ageMs: { $lt: REVOCATION.goneMs } } },
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
      // Progress is written at once, as another replica may wait for it.
      if (own === undefined || own.ageMs >= REFRESH_MS || own.applied !== applied)
        await gateways.updateOne({ _id: id }, [{ $set: { applied, seen_at: "$$NOW" } }], { upsert: true });
      return own === undefined ? live.length + 1 : live.length;
    },
  };
}
