import type { ClientSession, Db } from "mongodb";
import type { UserDocument } from "./user.js";

export interface UserStore {
  /** @throws the database's duplicate key fault when the email address is in use */
  insert(user: UserDocument, transaction: ClientSession): Promise<void>;
  find(organizationId: string, id: string): Promise<UserDocument | null>;
  /** The one look-up that knows no organization: it is how a login finds out. @param email lower case */
  findByEmail(email: string): Promise<UserDocument | null>;
}

export function createUserStore(db: Db): UserStore {
  const users = db.collection<UserDocument>("users");
  return {
    insert: async (user, transaction) => {
      await users.insertOne(user, { session: transaction });
    },
    find: (organizationId, id) => users.findOne({ organization_id: organizationId, _id: id }),
    findByEmail: (email) => users.findOne({ email }),
  };
}
