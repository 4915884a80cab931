import type { Db, Document } from "mongodb";
import type { KeyDocument } from "../keys/key.js";
import type { OrganizationDocument } from "../organizations/organization.js";
import type { SessionDocument } from "../sessions/session.js";
import type { UserDocument } from "../users/user.js";
import type { FoundKey, FoundSession } from "./rights.js";

// One round trip per credential. The pipelines start at the counter of key changes, so that its number is read before
// anything else: what comes with number N is at least as new as change N.

export interface CredentialStore {
  /** @param hash of the whole secret */
  findKey(hash: string): Promise<FoundKey>;
  /** @param hash of the token */
  findSession(hash: string): Promise<FoundSession>;
}

interface Found {
  number: number;
  key?: KeyDocument[];
  session?: SessionDocument[];
  user: UserDocument[];
  organization?: OrganizationDocument[];
}

const NUMBER = { $match: { _id: "key_changes" } };

export function createCredentialStore(db: Db): CredentialStore {
  const counters = db.collection("counters");

  async function find(stages: readonly Document[]): Promise<Found> {
    const [found] = await counters.aggregate<Found>([NUMBER, ...stages]).toArray();
    if (found === undefined) throw new Error("the counter of key changes is missing");
    return found;
  }

  return {
    findKey: async (hash) => {
      const { number, key, user, organization } = await find([
        byHash("api_keys", hash, "key"),
        byId("users", "key.user_id", "user"),
        byId("organizations", "key.organization_id", "organization"),
      ]);
      return { number, key: key?.[0] ?? null, user: user[0] ?? null, organization: organization?.[0] ?? null };
    },
    findSession: async (hash) => {
      const { number, session, user } = await find([
        byHash("sessions", hash, "session"),
        byId("users", "session.user_id", "user"),
      ]);
      return { number, session: session?.[0] ?? null, user: user[0] ?? null };
    },
  };
}

function byHash(from: string, hash: string, as: string): Document {
  return { $lookup: { from, pipeline: [{ $match: { hash } }], as } };
}

function byId(from: string, localField: string, as: string): Document {
  return { $lookup: { from, localField, foreignField: "_id", as } };
}
