import type { ClientSession, Filter } from "mongodb";
import { PERMISSIONS, type Permission } from "@nts/shared/contract/endpoint";
import { AppError } from "@nts/shared/errors";
import type { PageInfo } from "@nts/shared/http/answer";
import type { PageQuery } from "@nts/shared/mongo/keyset";
import type { Database } from "../database.js";
import { type Forms, openDocuments } from "../documents.js";
import { reaching } from "../networks/reaching.rules.js";
import { ranksOver } from "../users/rank.rules.js";
import type { InviteDocument } from "./invite.rules.js";
import { readPage } from "../pages.js";

export interface InviteQuery extends PageQuery {
  /** Empty for all. */
  readonly ids: readonly string[];
  /** Only invites of users who may use this network. */
  readonly network_id?: string | undefined;
}

export interface InviteStore {
  insert(invite: InviteDocument, tx: ClientSession): Promise<void>;
  /** How many can still be used. */
  countOpen(organizationId: string, now: Date, tx: ClientSession): Promise<number>;
  /** Those that have not expired. */
  list(organizationId: string, query: InviteQuery, now: Date): Promise<{ invites: InviteDocument[]; page: PageInfo }>;
  /** @throws AppError `not_found` */
  get(organizationId: string, id: string): Promise<InviteDocument>;
  /** The one look-up that knows no organization: a token is all that an invited person has. */
  findByHash(hash: string): Promise<InviteDocument | null>;
  /** Uses an invite up; null when there is none any more. */
  take(hash: string, tx: ClientSession): Promise<InviteDocument | null>;
  /** @returns false when there was none any more */
  remove(organizationId: string, id: string, tx: ClientSession): Promise<boolean>;
  removeAllOf(inviterId: string, tx: ClientSession): Promise<void>;
  /** Removes what an inviter could not invite to at this level. */
  removeBeyond(inviterId: string, level: Permission, tx: ClientSession): Promise<void>;
}

export function createInviteStore({ db, share }: Database, forms?: Forms): InviteStore {
  const documents = openDocuments(db, "invites", forms);
  const { collection: invites, understood } = documents;
  return {
    insert: documents.insert,
    countOpen: (organizationId, now, tx) =>
      invites.countDocuments({ organization_id: organizationId, expires_at: { $gt: now } }, { session: tx }),
    list: async (organizationId, query, now) => {
      const filter = { organization_id: organizationId, expires_at: { $gt: now }, ...matching(query) };
      const { found, page } = await readPage(
        { collection: invites, share },
        { name: "Invite", organizationId },
        filter,
        query,
      );
      return { invites: found.map(understood), page };
    },
    get: async (organizationId, id) => {
      const invite = await share(organizationId, () => documents.find({ organization_id: organizationId, _id: id }));
      if (invite === null) throw new AppError("not_found", { entity: "Invite" });
      return invite;
    },
    findByHash: (hash) => documents.find({ hash }),
    take: async (hash, tx) => {
      const taken = await invites.findOneAndDelete({ hash }, { session: tx });
      return taken && understood(taken);
    },
    remove: async (organizationId, id, tx) =>
      (await invites.deleteOne({ organization_id: organizationId, _id: id }, { session: tx })).deletedCount === 1,
    removeAllOf: async (inviterId, tx) => {
      await invites.deleteMany({ invited_by: inviterId }, { session: tx });
    },
    removeBeyond: async (inviterId, level, tx) => {
      const beyond = PERMISSIONS.filter((one) => !ranksOver(level, one));
      await invites.deleteMany({ invited_by: inviterId, permissions: { $in: beyond } }, { session: tx });
    },
  };
}

function matching({ ids, network_id }: InviteQuery): Filter<InviteDocument> {
  return {
    ...(ids.length > 0 && { _id: { $in: ids } }),
    ...(network_id !== undefined && reaching(network_id)),
  };
}
