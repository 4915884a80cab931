import type { ClientSession, Filter } from "mongodb";
import { PERMISSIONS, type Permission } from "@nts/shared/contract/endpoint";
import { AppError } from "@nts/shared/errors";
import type { PageQuery } from "@nts/shared/mongo/keyset";
import { noteChange } from "./audit-notes.js";
import type { Database } from "./database.js";
import { type Forms, openDocuments } from "./documents.js";
import { reaching } from "../model/reaching.rules.js";
import { ranksOver } from "../model/rank.rules.js";
import type { UserDocument } from "../model/user.js";
import type { InviteDocument } from "../model/invite.rules.js";
import { rowsIn, storedList, type StoredList } from "./pages.js";

/** Mailed tokens per invite: one for each attempt. */
const MOST_MAILED = 5;

export interface InviteQuery extends PageQuery {
  /** Empty for all. */
  readonly ids: readonly string[];
  /** Only invites of users with access to this network. */
  readonly network_id?: string | undefined;
}

export interface InviteStore {
  insert(invite: InviteDocument, tx: ClientSession): Promise<void>;
  /** Number of valid invites. */
  countOpen(organizationId: string, now: Date, tx: ClientSession): Promise<number>;
  /** Unexpired invites. */
  list(organizationId: string, query: InviteQuery, now: Date): StoredList<InviteDocument>;
  find(organizationId: string, id: string): Promise<InviteDocument | null>;
  /** Adds a mailed token. @returns false if the invite no longer exists */
  addMailed(invite: InviteDocument, hash: string): Promise<boolean>;
  /** @throws AppError `not_found` */
  get(organizationId: string, id: string): Promise<InviteDocument>;
  /** A lookup without organization, as the token is all that an invited person has. */
  findByHash(hash: string): Promise<InviteDocument | null>;
  /** Uses up an invite; null if it no longer exists. */
  take(hash: string, tx: ClientSession): Promise<InviteDocument | null>;
  /** @returns false if it was gone */
  remove(organizationId: string, id: string, tx: ClientSession): Promise<boolean>;
  /** All invites of an account, in any organization. */
  removeAllOf(inviter: UserDocument, tx: ClientSession): Promise<void>;
  /** A user's invites to the organization. */
  removeAllIn(inviter: UserDocument, tx: ClientSession): Promise<void>;
  /** Removes invites that an inviter could not create at this level. */
  removeBeyond(inviter: UserDocument, level: Permission, tx: ClientSession): Promise<void>;
}

export function createInviteStore({ db, share }: Database, forms?: Forms): InviteStore {
  const documents = openDocuments(db, "invites", forms);
  const { collection: invites, understood } = documents;

  async function removeMany(filter: Filter<InviteDocument>, tx: ClientSession): Promise<number> {
    const found = await invites.find<InviteDocument>(filter, { session: tx }).toArray();
    for (const invite of found) noteChange(tx, "invite", { before: understood(invite) });
    return found.length === 0 ? 0 : (await invites.deleteMany(filter, { session: tx })).deletedCount;
  }

  return {
    insert: async (invite, tx) => {
      await documents.insert(invite, tx);
      noteChange(tx, "invite", { after: invite });
    },
    countOpen: (organizationId, now, tx) =>
      invites.countDocuments({ organization_id: organizationId, expires_at: { $gt: now } }, { session: tx }),
    list: (organizationId, query, now) => {
      const filter = { organization_id: organizationId, expires_at: { $gt: now }, ...matching(query) };
      return storedList(
        { rows: rowsIn(invites, filter), share, understood },
        { name: "Invite", organizationId },
        query,
      );
    },
    get: async (organizationId, id) => {
      const invite = await share(organizationId, () => documents.find({ organization_id: organizationId, _id: id }));
      if (invite === null) throw new AppError("not_found", { entity: "Invite" });
      return invite;
    },
    find: (organizationId, id) => documents.find({ organization_id: organizationId, _id: id }),
    addMailed: async ({ _id, organization_id }, hash) => {
      const added = { $push: { mailed: { $each: [hash], $slice: -MOST_MAILED } } };
      return (await invites.updateOne({ _id, organization_id }, added)).matchedCount === 1;
    },
    findByHash: (hash) => documents.find(withToken(hash)),
    take: async (hash, tx) => {
      const taken = await invites.findOneAndDelete(withToken(hash), { session: tx });
      if (taken === null) return null;
      const invite = understood(taken);
      noteChange(tx, "invite", { before: invite, action: "accepted" });
      return invite;
    },
    remove: async (organizationId, id, tx) =>
      (await removeMany({ organization_id: organizationId, _id: id }, tx)) === 1,
    removeAllOf: async ({ _id }, tx) => {
      await removeMany({ invited_by: _id }, tx);
    },
    removeAllIn: async ({ organization_id, _id }, tx) => {
      await removeMany({ organization_id, invited_by: _id }, tx);
    },
    removeBeyond: async ({ organization_id, _id }, level, tx) => {
      const beyond = PERMISSIONS.filter((one) => !ranksOver(level, one));
      await removeMany({ organization_id, invited_by: _id, permissions: { $in: beyond } }, tx);
    },
  };
}

function withToken(hash: string): Filter<InviteDocument> {
  return { $or: [{ hash }, { mailed: hash }] };
}

function matching({ ids, network_id }: InviteQuery): Filter<InviteDocument> {
  return {
    ...(ids.length > 0 && { _id: { $in: ids } }),
    ...(network_id !== undefined && reaching(network_id)),
  };
}
