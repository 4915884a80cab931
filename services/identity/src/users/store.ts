import type { ClientSession, Db, Filter } from "mongodb";
import { AppError } from "@nts/shared/errors";
import type { PageInfo } from "@nts/shared/http/answer";
import type { PageQuery } from "@nts/shared/mongo/keyset";
import { noteChange, noteEvent } from "../audit/notes.js";
import type { Database } from "../database.js";
import { type Documents, type Forms, openDocuments } from "../documents.js";
import { nextRevision } from "../revisions.rules.js";
import { isGuarded, withheld } from "../second-factor/factor.js";
import { reaching } from "../networks/reaching.rules.js";
import { readPage } from "../pages.js";
import type { UserDocument } from "./user.js";

export interface UserQuery extends PageQuery {
  /** Empty for all. */
  readonly ids: readonly string[];
  /** Only users who may use this network. */
  readonly network_id?: string | undefined;
}

export interface UserStore {
  /** @throws the database's duplicate key fault when the email address is in use */
  insert(user: UserDocument, tx: ClientSession): Promise<void>;
  list(organizationId: string, query: UserQuery): Promise<{ users: UserDocument[]; page: PageInfo }>;
  findMany(organizationId: string, ids: readonly string[]): Promise<UserDocument[]>;
  /** Those who may use a network. */
  listIds(organizationId: string, networkId: string): Promise<string[]>;
  find(organizationId: string, id: string, tx?: ClientSession): Promise<UserDocument | null>;
  /** @throws AppError `not_found` */
  get(organizationId: string, id: string): Promise<UserDocument>;
  /** The one look-up that knows no organization: it is how a login finds out. @param email lower case */
  findByEmail(email: string): Promise<UserDocument | null>;
  /** Makes an address free that only a user of a deleted organization has, who is not swept yet. */
  freeEmail(email: string, tx: ClientSession): Promise<void>;
  countOwners(organizationId: string, tx: ClientSession): Promise<number>;
  /**
   * Begins a session with the password that was found right: written in the same transaction, so that none begins with a
   * password that is being changed.
   *
   * @returns false when the user has been removed, or has got another password or second factor, since it was read
   */
  beginSession(user: UserDocument, tx: ClientSession): Promise<boolean>;
  /** @returns as {@link beginSession} does */
  replacePassword(user: UserDocument, passwordHash: string, tx: ClientSession): Promise<boolean>;
  /** Saves changes under the next revision, unless another writer came between. */
  update(current: UserDocument, changes: Partial<UserDocument>, tx: ClientSession): Promise<UserDocument | "conflict">;
  /** Removes it, unless another writer came between. */
  remove(current: UserDocument, tx: ClientSession): Promise<"removed" | "conflict">;
}

export function createUserStore({ db, share }: Database, forms?: Forms): UserStore {
  const documents = openDocuments(db, "users", forms);
  const { collection: users, formAfter } = documents;

  async function find(organizationId: string, id: string, tx?: ClientSession): Promise<UserDocument | null> {
    const read = () => documents.find({ organization_id: organizationId, _id: id }, { session: tx });
    return tx === undefined ? share(organizationId, read) : read();
  }

  return {
    insert: async (user, tx) => {
      await documents.insert(user, tx);
      noteChange(tx, "user", { after: user });
    },
    ...createUserLists(documents, share),
    find,
    get: async (organizationId, id) => {
      const user = await find(organizationId, id);
      if (user === null) throw new AppError("not_found", { entity: "User" });
      return user;
    },
    findByEmail: (email) => documents.find({ email }),
    freeEmail: createFreeEmail(db, users),
    countOwners: (organizationId, tx) =>
      users.countDocuments({ organization_id: organizationId, permissions: "Owner" }, { session: tx }),
    beginSession: async ({ _id, password_hash, second_factor }, tx) => {
      const asRead = { _id, password_hash, second_factor: { $exists: second_factor !== undefined } };
      const { matchedCount } = await users.updateOne(asRead, { $inc: { logins: 1 } }, { session: tx });
      return matchedCount === 1;
    },
    replacePassword: async (user, passwordHash, tx) => {
      const { _id, password_hash } = user;
      const stored = isGuarded(user) ? withheld(passwordHash) : passwordHash;
      const changed = documents.changing({ password_hash: { $literal: stored } }, new Date());
      const known = [...changed, { $unset: "passwordless" }];
      const { matchedCount } = await users.updateOne({ _id, password_hash }, known, { session: tx });
      if (matchedCount === 0) return false;
      noteEvent(tx, "user", user, { action: "password_changed" });
      return true;
    },
    update: async (current, changes, tx) => {
      const written = { ...changes, ...nextRevision(current, new Date()), form: formAfter(current) };
      const { matchedCount } = await users.updateOne(unchanged(current), { $set: written }, { session: tx });
      if (matchedCount === 0) return "conflict";
      const saved = { ...current, ...written };
      noteChange(tx, "user", { before: current, after: saved });
      return saved;
    },
    remove: async (current, tx) => {
      const { deletedCount } = await users.deleteOne(unchanged(current), { session: tx });
      if (deletedCount === 0) return "conflict";
      noteChange(tx, "user", { before: current });
      return "removed";
    },
  };
}

function createFreeEmail(db: Db, users: Documents<UserDocument>["collection"]): UserStore["freeEmail"] {
  const organizations = db.collection<{ _id: string }>("organizations");
  return async (email, tx) => {
    const found = await users.findOne({ email }, { projection: { organization_id: 1 }, session: tx });
    if (found === null) return;
    const { _id, organization_id } = found;
    if ((await organizations.findOne({ _id: organization_id }, { projection: { _id: 1 }, session: tx })) !== null)
      return;
    await users.deleteOne({ _id }, { session: tx });
    await db.collection("sessions").deleteMany({ user_id: _id }, { session: tx });
  };
}

function createUserLists(
  { collection: users, understood }: Documents<UserDocument>,
  share: Database["share"],
): Pick<UserStore, "list" | "findMany" | "listIds"> {
  return {
    list: async (organizationId, query) => {
      const filter = { organization_id: organizationId, ...matching(query) };
      const { found, page } = await readPage(
        { collection: users, share },
        { name: "User", organizationId },
        filter,
        query,
      );
      return { users: found.map(understood), page };
    },
    findMany: async (organizationId, ids) => {
      const those = { organization_id: organizationId, _id: { $in: [...ids] } };
      const found = await share(organizationId, () => users.find<UserDocument>(those).toArray());
      return found.map(understood);
    },
    listIds: async (organizationId, networkId) => {
      const those = { organization_id: organizationId, ...reaching(networkId) };
      const found = await share(organizationId, () => users.find(those, { projection: { _id: 1 } }).toArray());
      return found.map(({ _id }) => _id);
    },
  };
}

function unchanged({ _id, organization_id, revision }: UserDocument): Filter<UserDocument> {
  return { _id, organization_id, revision };
}

function matching({ ids, network_id }: UserQuery): Filter<UserDocument> {
  return {
    ...(ids.length > 0 && { _id: { $in: ids } }),
    ...(network_id !== undefined && reaching(network_id)),
  };
}
