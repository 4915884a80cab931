import type { ClientSession, Db } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { noteAccountEvent, noteChange } from "./audit-notes.js";
import type { Database } from "./database.js";
import { type Documents, type Forms, openDocuments } from "./documents.js";
import type { UserDocument } from "../model/user.js";
import { createUserLists, type UserLists } from "./user-lists.js";
import { createMembershipWrites, type MembershipWrites } from "./membership-writes.js";
import { inOrganization, isOfSeveral, membershipsOf, userIn, userWhereLast } from "../model/memberships.rules.js";

/** Accounts, each as a user of one of its organizations. */
export interface UserStore extends UserLists, MembershipWrites {
  /** @throws the database's duplicate key error if the email address is in use */
  insert(user: UserDocument, tx: ClientSession): Promise<void>;
  find(organizationId: string, id: string, tx?: ClientSession): Promise<UserDocument | null>;
  /** @throws AppError `not_found` */
  get(organizationId: string, id: string): Promise<UserDocument>;
  /**
   * A lookup without organization, for logins. Returns the user of the organization used last.
   *
   * @param email lower case
   */
  findByEmail(email: string): Promise<UserDocument | null>;
  /** Frees an address used only by deleted organizations that are not purged yet. */
  freeEmail(email: string, tx: ClientSession): Promise<void>;
  countServiceAccounts(organizationId: string, tx: ClientSession): Promise<number>;
  countOwners(organizationId: string, tx: ClientSession): Promise<number>;
  /**
   * Starts a session with the verified password, in the same transaction, so that none starts while the password is
   * being changed.
   *
   * @returns false if the user was removed, or the password or second factor changed, since it was read
   */
  beginSession(user: UserDocument, tx: ClientSession): Promise<boolean>;
  /** @returns as {@link beginSession} */
  replacePassword(user: UserDocument, passwordHash: string, tx: ClientSession): Promise<boolean>;
}

export function createUserStore({ db, share, readOnce }: Database, forms?: Forms): UserStore {
  const documents = openDocuments(db, "users", forms);
  const { collection: users } = documents;

  async function find(organizationId: string, id: string, tx?: ClientSession): Promise<UserDocument | null> {
    const read = () => documents.find({ _id: id }, { session: tx });
    const found = await (tx === undefined ? readOnce(organizationId, `user ${id}`, read) : read());
    return found && userIn(found, organizationId);
  }

  return {
    insert: async (user, tx) => {
      await documents.insert(user, tx);
      noteChange(tx, "user", { after: user });
    },
    ...createUserLists(documents, share),
    ...createMembershipWrites(documents),
    find,
    get: async (organizationId, id) => {
      const user = await find(organizationId, id);
      if (user === null) throw new AppError("not_found", { entity: "User" });
      return user;
    },
    findByEmail: async (email) => {
      const found = await documents.find({ email });
      return found && userWhereLast(found);
    },
    freeEmail: createFreeEmail(db, users),
    countServiceAccounts: (organizationId, tx) =>
      users.countDocuments({ organization_id: organizationId, kind: "service" }, { session: tx }),
    countOwners: (organizationId, tx) =>
      users.countDocuments(inOrganization(organizationId, { permissions: "Owner" }), { session: tx }),
    beginSession: async (user, tx) => {
      const { _id, password_hash, second_factor, organization_id } = user;
      const asRead = { _id, password_hash, second_factor: { $exists: second_factor !== undefined } };
      const update = {
        $inc: { logins: 1 },
        ...(isOfSeveral(user) && { $set: { last_organization_id: organization_id } }),
      };
      const those = { ...asRead, ...inOrganization(organization_id) };
      const { matchedCount } = await users.updateOne(those, update, { session: tx });
      return matchedCount === 1;
    },
    replacePassword: async (user, passwordHash, tx) => {
      const { _id, password_hash } = user;
      const changed = documents.changing({ password_hash: { $literal: passwordHash } }, new Date());
      const known = [...changed, { $unset: "passwordless" }];
      const { matchedCount } = await users.updateOne({ _id, password_hash }, known, { session: tx });
      if (matchedCount === 0) return false;
      noteAccountEvent(tx, user, { action: "password_changed" });
      return true;
    },
  };
}

function createFreeEmail(db: Db, users: Documents<UserDocument>["collection"]): UserStore["freeEmail"] {
  const organizations = db.collection<{ _id: string }>("organizations");
  return async (email, tx) => {
    const found = await users.findOne({ email }, { session: tx });
    if (found === null) return;
    const { _id } = found;
    const ids = membershipsOf(found).map(({ organization_id }) => organization_id);
    if ((await organizations.findOne({ _id: { $in: ids } }, { projection: { _id: 1 }, session: tx })) !== null) return;
    await users.deleteOne({ _id }, { session: tx });
    await db.collection("sessions").deleteMany({ user_id: _id }, { session: tx });
  };
}
