import type { ClientSession } from "mongodb";
import type { MakerEnd } from "@nts/shared/contract/internal";
import { newId } from "@nts/shared/ids";
import type { Database } from "./database.js";
import type { KeyDocument } from "../model/key.rules.js";
import type { UserDocument } from "../model/user.js";

export const ENDED_MAKERS = "ended_webhook_makers";

/**
 * Milliseconds after which webhooks are looked for once more: a request that was accepted before the revocation may
 * still create one. Longer than any request.
 */
const AGAIN_MS = 20_000;

/** Somebody whose webhooks must be paused. */
export interface EndedMaker {
  readonly organization_id: string;
  readonly user_id: string;
  /** Null for any credential of the user. */
  readonly key_id: string | null;
  readonly reason: MakerEnd;
}

export interface EndedMakerDocument extends EndedMaker {
  readonly _id: string;
  readonly at: Date;
  readonly due_at: Date;
}

/** A user who loses access to an organization. */
export function endedMaker(user: Pick<UserDocument, "_id" | "organization_id">, reason: MakerEnd): EndedMaker {
  return { organization_id: user.organization_id, user_id: user._id, key_id: null, reason };
}

/** A key that is revoked. */
export function endedKey(key: Pick<KeyDocument, "_id" | "organization_id" | "user_id">, reason: MakerEnd): EndedMaker {
  return { organization_id: key.organization_id, user_id: key.user_id, key_id: key._id, reason };
}

/** Revocations that topology has to follow. Written with the revocation itself, so that none is lost. */
export interface EndedMakers {
  insert(maker: EndedMaker, tx: ClientSession): Promise<void>;
  /** Oldest first. */
  due(now: Date, of?: Partial<EndedMaker>): Promise<EndedMakerDocument[]>;
  /** Its webhooks are paused: looks once more later, and then no longer. */
  done(maker: EndedMakerDocument, now: Date): Promise<void>;
}

export function createEndedMakers({ db, share }: Pick<Database, "db" | "share">): EndedMakers {
  const makers = db.collection<EndedMakerDocument>(ENDED_MAKERS);
  return {
    insert: async (maker, tx) => {
      const at = new Date();
      await makers.insertOne({ _id: newId(), ...maker, at, due_at: at }, { session: tx });
    },
    due: (now, of = {}) => {
      const find = (): Promise<EndedMakerDocument[]> =>
        makers.find({ ...of, due_at: { $lte: now } }, { sort: { due_at: 1 }, limit: 100 }).toArray();
      return of.organization_id === undefined ? find() : share(of.organization_id, find);
    },
    done: ({ _id, at, organization_id }, now) => {
      const again = new Date(at.getTime() + AGAIN_MS);
      return share(organization_id, async () => {
        if (now >= again) await makers.deleteOne({ _id });
        else await makers.updateOne({ _id }, { $set: { due_at: again } });
      });
    },
  };
}
