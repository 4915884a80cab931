import type { ClientSession, Db, Filter } from "mongodb";
import { type RunTransaction, Discard } from "@nts/shared/mongo/transaction";
import type { PageQuery } from "@nts/shared/mongo/keyset";
import { chunksOf } from "@nts/shared/groups";
import { BACKGROUND } from "@nts/shared/work";
import type { ShareDocument } from "../model/share.rules.js";
import { noteChange } from "./audit-notes.js";
import type { Database } from "./database.js";
import { rowsIn, storedList, type StoredList } from "./pages.js";

export const SHARES = "shares";

export interface ShareQuery extends PageQuery {
  /** Empty for all. */
  readonly ids: readonly string[];
  readonly view_id?: string | undefined;
  readonly network_id?: string | undefined;
}

export interface ShareUse {
  readonly key_id: string;
  readonly used_at: Date;
  readonly requests: number;
}

export interface ShareStore {
  list(organizationId: string, query: ShareQuery): StoredList<ShareDocument>;
  find(organizationId: string, id: string): Promise<ShareDocument | null>;
  /** In any organization. */
  originsOf(id: string): Promise<readonly string[]>;
  /** Those with one of these secrets, in any organization, as the caller knows the secret. */
  findBySecrets(hashes: readonly string[]): Promise<ShareDocument[]>;
  /** What shares of an organization show. */
  shownIn(organizationId: string): Promise<Pick<ShareDocument, "_id" | "view_id" | "network_id">[]>;
  count(organizationId: string, tx: ClientSession): Promise<number>;
  insert(share: ShareDocument, tx: ClientSession): Promise<void>;
  /** @param action as recorded in the audit log @returns those that were there */
  remove(
    organizationId: string,
    ids: readonly string[],
    tx: ClientSession,
    action?: "deleted" | "revoked",
  ): Promise<string[]>;
  /** Adds uses, and the number of uses to the audit log once a day. Those of other credentials have no effect. */
  recordUses(uses: readonly ShareUse[], now: Date): Promise<void>;
}

export function createShareStore({ db, share }: Database, transaction: RunTransaction): ShareStore {
  const shares = db.collection<ShareDocument>(SHARES);

  /** Its number of uses, unless that was recorded today. */
  async function note({ _id, organization_id }: ShareDocument, day: string): Promise<void> {
    await transaction(BACKGROUND, [`audit:${organization_id}`], async (tx) => {
      const found = await shares.findOneAndUpdate(
        { _id, noted_on: { $ne: day } },
        { $set: { noted_on: day } },
        { session: tx },
      );
      if (found === null) throw new Discard(null);
      noteChange(tx, "share", { after: found, action: "used", actor: null, address: "" });
    });
  }

  return {
    list: (organization_id, { ids, view_id, network_id, ...query }) => {
      const filter: Filter<ShareDocument> = {
        organization_id,
        ...(ids.length > 0 && { _id: { $in: [...ids] } }),
        ...(view_id !== undefined && { view_id }),
        ...(network_id !== undefined && { network_id }),
      };
      const source = { rows: rowsIn(shares, filter), share, understood: (found: ShareDocument) => found };
      return storedList(source, { name: "Share", organizationId: organization_id }, query);
    },
    find: (organization_id, _id) => share(organization_id, () => shares.findOne({ _id, organization_id })),
    originsOf: async (_id) =>
      (await shares.findOne({ _id }, { projection: { allow_embedding: 1 } }))?.allow_embedding ?? [],
    findBySecrets: async (hashes) =>
      hashes.length === 0 ? [] : shares.find<ShareDocument>({ hash: { $in: [...hashes] } }).toArray(),
    shownIn: (organization_id) =>
      share(organization_id, () =>
        shares.find({ organization_id }, { projection: { view_id: 1, network_id: 1 } }).toArray(),
      ),
    count: (organization_id, tx) => shares.countDocuments({ organization_id }, { session: tx }),
    insert: async (made, tx) => {
      await shares.insertOne(made, { session: tx });
      noteChange(tx, "share", { after: made });
    },
    remove: (organization_id, ids, tx, action = "deleted") =>
      removeShares(db, { organization_id, _id: { $in: [...ids] } }, tx, action),
    recordUses: async (uses, now) => {
      const day = now.toISOString().slice(0, 10);
      for (const some of chunksOf(uses, 500)) {
        await shares.bulkWrite(
          some.map(({ key_id: _id, used_at, requests }) => ({
            updateOne: { filter: { _id }, update: { $max: { last_used: used_at }, $inc: { uses: requests } } },
          })),
          { ordered: false },
        );
        const ids = some.map(({ key_id }) => key_id);
        for (const one of await shares.find({ _id: { $in: ids }, noted_on: { $ne: day } }).toArray())
          await note(one, day);
      }
    },
  };
}

/** Ends shares, in a rights transaction. @returns their ids */
export async function removeShares(
  db: Db,
  filter: Filter<ShareDocument>,
  tx: ClientSession,
  action: "deleted" | "revoked" = "deleted",
): Promise<string[]> {
  const shares = db.collection<ShareDocument>(SHARES);
  const found = await shares.find<ShareDocument>(filter, { session: tx }).toArray();
  for (const before of found) noteChange(tx, "share", { before, action });
  if (found.length > 0) await shares.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, { session: tx });
  return found.map(({ _id }) => _id);
}
