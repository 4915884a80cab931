import type { Db } from "mongodb";
import { addressBlockOf } from "@nts/shared/address-block";
import type { AssistantClient } from "../model/authorization.rules.js";
import { createMakeRoom } from "./pending-room.js";

// Assistants that have registered themselves. Anybody may register one, so those that nobody uses are few, and end soon.

export const ASSISTANT_CLIENTS = "assistant_clients";

/** Of those that nobody has let in yet, per address block, and of those that a user has let in. */
export const MOST_OF_HOLDER = 50;
export const MOST_REGISTERED = 20_000;
const UNUSED_MS = 86_400_000;
/** Longer than access lasts without being renewed. */
const USED_MS = 90 * 86_400_000;

interface ClientDocument extends AssistantClient {
  /** Whom it counts against: an address block, or then the user who let it in. */
  readonly address_block: string;
  readonly expires_at: Date;
}

export interface AssistantClients {
  /** Replaces an older one if there are too many. */
  insert(client: AssistantClient, address: string): Promise<void>;
  /** Null if there is none, or no more. */
  find(id: string, now: Date): Promise<AssistantClient | null>;
  /** A user has let it in, or it has renewed its access. */
  noteUse(id: string, userId: string, now: Date): Promise<void>;
}

export function createAssistantClients(db: Db): AssistantClients {
  const clients = db.collection<ClientDocument>(ASSISTANT_CLIENTS);
  const makeRoom = createMakeRoom(db, ASSISTANT_CLIENTS, { mostOfAddress: MOST_OF_HOLDER, mostInAll: MOST_REGISTERED });
  return {
    insert: async (client, address) => {
      const address_block = addressBlockOf(address);
      await makeRoom(address_block);
      const expires_at = new Date(client.created_at.getTime() + UNUSED_MS);
      await clients.insertOne({ ...client, address_block, expires_at });
    },
    find: (id, now) => clients.findOne({ _id: id, expires_at: { $gt: now } }),
    noteUse: async (id, userId, now) => {
      const address_block = `user ${userId}`;
      if ((await clients.findOne({ _id: id, address_block }, { projection: { _id: 1 } })) === null)
        await makeRoom(address_block);
      const used = { address_block, expires_at: new Date(now.getTime() + USED_MS) };
      await clients.updateOne({ _id: id }, { $set: used });
    },
  };
}
