import type { ClientSession, Collection, Filter } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { PageQuery } from "@nts/shared/mongo/keyset";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { KEYS_BY_ORGANIZATION, KEYS_BY_USER } from "./indexes.js";
import { forgetAddresses } from "./key-addresses.js";
import { noteChange } from "./audit-notes.js";
import type { Database } from "./database.js";
import { type Documents, type Forms, openDocuments, without } from "./documents.js";
import type { UserDocument } from "../model/user.js";
import { nextRevision } from "../model/revisions.rules.js";
import { forgetUsage } from "./key-usage.js";
import { type KeyDocument, NOBODY, withSecret } from "../model/key.rules.js";
import { foundInParts } from "./found-in-parts.js";
import { createRemoveKeys } from "./removed-keys.js";
import { rowsIn, storedList, type StoredList } from "./pages.js";
import { removeShares } from "./shares.js";

/** Ended grants that are removed at a time. */
const MOST_SWEPT = 25;

/** Whose keys a call may access; other keys do not exist for it. */
export interface KeyOwner {
  readonly organizationId: string;
  readonly userId: string;
}

export interface KeyQuery extends PageQuery {
  /** Empty for all. */
  readonly ids: readonly string[];
  /** Only keys that may access this network. */
  readonly network_id?: string | undefined;
  /** Only keys of assistants, or only those that people made. */
  readonly of_assistants?: boolean | undefined;
}

/** Whose keys of an organization are listed. */
export interface OrganizationKeyQuery extends KeyQuery {
  /** Absent for all users. */
  readonly userIds?: readonly string[] | undefined;
}

export interface KeyUse {
  readonly key_id: string;
  readonly used_at: Date;
  /** With the secret before the last rotation. */
  readonly is_previous: boolean;
}

/** What changes when an assistant renews its access. */
export type RenewedTokens = Required<Pick<KeyDocument, "hash" | "public_id" | "issued_at" | "grant">>;

export interface KeyStore {
  list(owner: KeyOwner, query: KeyQuery): StoredList<KeyDocument>;
  listAll(organizationId: string, query: OrganizationKeyQuery): StoredList<KeyDocument>;
  find(owner: KeyOwner, id: string): Promise<KeyDocument | null>;
  /** Any key of an organization. */
  findIn(organizationId: string, id: string): Promise<KeyDocument | null>;
  /** Keys with one of these secrets, in any organization, as the caller knows the secret. */
  findBySecrets(hashes: readonly string[]): Promise<KeyDocument[]>;
  /** The access of an assistant, in any organization, as the caller knows what its refresh tokens have in common. */
  findByFamily(family: string): Promise<KeyDocument | null>;
  /** A user's access of assistants that say they are this one. */
  findGrants(owner: KeyOwner, clientId: string): Promise<KeyDocument[]>;
  /** Access that has ended, in any organization; not all at once. */
  findEndedGrants(now: Date): Promise<KeyDocument[]>;
  /** Replaces the tokens of an assistant, which changes neither the revision nor the audit log, unless they have been replaced. */
  renew(key: KeyDocument, tokens: RenewedTokens, tx: ClientSession): Promise<"renewed" | "conflict">;
  /** @throws AppError `not_found` */
  get(owner: KeyOwner, id: string): Promise<KeyDocument>;
  insert(key: KeyDocument, tx: ClientSession): Promise<void>;
  /** Number of keys of a user and of the organization. */
  count(owner: KeyOwner, tx: ClientSession): Promise<{ ofUser: number; ofOrganization: number }>;
  /** Saves changes as the next revision, unless modified concurrently. */
  update(
    owner: KeyOwner,
    current: KeyDocument,
    changes: Partial<KeyDocument>,
    tx: ClientSession,
  ): Promise<KeyDocument | "conflict">;
  /** Removes it, unless modified concurrently. @param action as recorded in the audit log */
  remove(
    owner: KeyOwner,
    current: KeyDocument,
    tx: ClientSession,
    action?: "deleted" | "revoked",
  ): Promise<"removed" | "conflict">;
  /** All keys and shares of an account, in any organization. */
  removeAllOf(user: UserDocument, tx: ClientSession): Promise<void>;
  /** A user's keys and shares in the organization. */
  removeAllIn(user: UserDocument, tx: ClientSession): Promise<void>;
  /** Removes managed tags from every key of an organization. */
  dropTags(organizationId: string, tagIds: readonly string[]): Promise<void>;
  /** Moves `last_used` forward and changes nothing else; deleted keys are skipped. */
  recordUses(uses: readonly KeyUse[]): Promise<void>;
}

export function createKeyStore({ db, share, readOnce }: Database, forms?: Forms): KeyStore {
  const documents = openDocuments(db, "api_keys", forms);
  const { collection: keys, formAfter } = documents;
  const removeKeys = createRemoveKeys(db, documents);

  return {
    ...createKeyReads(documents, { share, readOnce }),
    insert: async (key, tx) => {
      await documents.insert(key, tx);
      noteChange(tx, "key", { after: key });
    },
    renew: async ({ _id, grant }, tokens, tx) => {
      const unchanged = { _id, "grant.refresh": grant?.refresh ?? "" };
      const { matchedCount } = await keys.updateOne(
        unchanged,
        { $set: { ...tokens, previous: null } },
        { session: tx },
      );
      return matchedCount === 1 ? "renewed" : "conflict";
    },
    count: async (owner, tx) => ({
      ofUser: await keys.countDocuments(ownedBy(owner), { session: tx, hint: KEYS_BY_USER }),
      ofOrganization: await keys.countDocuments(
        { organization_id: owner.organizationId },
        { session: tx, hint: KEYS_BY_ORGANIZATION },
      ),
    }),
    update: async (owner, current, changes, tx) => {
      const written = { ...changes, ...nextRevision(current, new Date()), form: formAfter(current) };
      const unchanged = { ...ownedBy(owner), _id: current._id, revision: current.revision };
      const { matchedCount } = await keys.updateOne(unchanged, { $set: written }, { session: tx });
      if (matchedCount === 0) return "conflict";
      const saved = { ...current, ...written };
      noteChange(tx, "key", {
        before: current,
        after: saved,
        ...(changes.public_id !== undefined && { action: "rotated" }),
      });
      return saved;
    },
    remove: async (owner, current, tx, action = "deleted") => {
      const { deletedCount } = await keys.deleteOne(
        { ...ownedBy(owner), _id: current._id, revision: current.revision },
        { session: tx },
      );
      if (deletedCount === 0) return "conflict";
      noteChange(tx, "key", { before: current, action });
      await forgetAddresses(db, [current], tx);
      await forgetUsage(db, [current._id], tx);
      return "removed";
    },
    removeAllOf: async ({ _id }, tx) => {
      await removeKeys({ user_id: _id }, tx);
      await removeShares(db, { user_id: _id }, tx);
    },
    removeAllIn: async ({ _id, organization_id }, tx) => {
      await removeKeys({ user_id: _id, organization_id }, tx);
      await removeShares(db, { user_id: _id, organization_id }, tx);
    },
    dropTags: async (organizationId, tagIds) => {
      const matching = { organization_id: organizationId, tags: { $in: [...tagIds] } };
      const dropped = documents.changing({ tags: without("tags", tagIds) }, new Date());
      for await (const found of foundInParts(share, keys, { organizationId, all: matching, matching })) {
        const some = { ...matching, _id: { $in: found.map(({ _id }) => _id) } };
        await share(organizationId, () => keys.updateMany(some, dropped));
      }
    },
    recordUses: createUseWriter(keys),
  };
}

function createKeyReads(
  documents: Documents<KeyDocument>,
  { share, readOnce }: Pick<Database, "share" | "readOnce">,
): Pick<
  KeyStore,
  "list" | "listAll" | "find" | "findIn" | "findBySecrets" | "get" | "findByFamily" | "findGrants" | "findEndedGrants"
> {
  async function find(owner: KeyOwner, id: string): Promise<KeyDocument | null> {
    return readOnce(owner.organizationId, `key ${owner.userId} ${id}`, () =>
      documents.find({ ...ownedBy(owner), _id: id }),
    );
  }

  return {
    list: (owner, query) => {
      const rows = rowsIn(documents.collection, { $and: [ownedBy(owner), matching(query)] });
      return storedList({ rows, share, understood: documents.understood }, { name: "UserApiKey", ...owner }, query);
    },
    listAll: (organizationId, { userIds, ...query }) => {
      const theirs = {
        organization_id: organizationId,
        ...(userIds !== undefined && { user_id: { $in: [...userIds] } }),
      };
      const rows = rowsIn(documents.collection, { $and: [theirs, matching(query)] });
      const list = { name: "OrganizationApiKey", organizationId };
      return storedList({ rows, share, understood: documents.understood }, list, query);
    },
    find,
    findIn: (organizationId, id) =>
      share(organizationId, () => documents.find({ organization_id: organizationId, _id: id })),
    findBySecrets: async (hashes) => {
      if (hashes.length === 0) return [];
      const there = { ...withSecret(hashes), organization_id: { $ne: NOBODY } };
      const found = await documents.collection.find<KeyDocument>(there).toArray();
      return found.map(documents.understood);
    },
    findByFamily: (family) => documents.find({ "grant.family": family, organization_id: { $ne: NOBODY } }),
    findGrants: async (owner, clientId) => {
      const theirs = { ...ownedBy(owner), "grant.client_id": clientId };
      return (await documents.collection.find<KeyDocument>(theirs).toArray()).map(documents.understood);
    },
    findEndedGrants: async (now) => {
      const ended = { "grant.ends_at": { $lte: now }, organization_id: { $ne: NOBODY } };
      return (await documents.collection.find<KeyDocument>(ended).limit(MOST_SWEPT).toArray()).map(
        documents.understood,
      );
    },
    get: async (owner, id) => {
      const key = await find(owner, id);
      if (key === null) throw new AppError("not_found", { entity: "UserApiKey" });
      return key;
    },
  };
}

function createUseWriter(keys: Collection<KeyDocument>): KeyStore["recordUses"] {
  // A write that meets an open transaction occupies its connection. Several at a time could take all, including the one
  // that the transaction needs to end.
  const useWrites = createFairQueue({ atATime: 1 });
  return async (uses) => {
    if (uses.length === 0) return;
    const updates = uses.map(({ key_id: _id, used_at, is_previous }) => ({
      updateOne: is_previous
        ? {
            // The previous secret may have expired since and been replaced by another.
            filter: { _id, "previous.since": { $lte: used_at } },
            update: { $max: { last_used: used_at, "previous.last_used": used_at } },
          }
        : { filter: { _id }, update: { $max: { last_used: used_at } } },
    }));
    await useWrites.run(() => keys.bulkWrite(updates, { ordered: false }));
  };
}

function ownedBy({ organizationId, userId }: KeyOwner): { organization_id: string; user_id: string } {
  return { organization_id: organizationId, user_id: userId };
}

function matching({ ids, network_id, of_assistants }: KeyQuery): Filter<KeyDocument> {
  return {
    ...(of_assistants !== undefined && { grant: { $exists: of_assistants } }),
    ...(ids.length > 0 && { _id: { $in: ids } }),
    ...(network_id !== undefined && { $or: [{ network_ids: null }, { network_ids: network_id }] }),
  };
}
