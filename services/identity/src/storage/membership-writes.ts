import type { ClientSession } from "mongodb";
import { noteChange } from "./audit-notes.js";
import type { Documents } from "./documents.js";
import { nextRevision } from "../model/revisions.rules.js";
import type { UserRights } from "../model/user-changes.rules.js";
import type { Membership, UserDocument } from "../model/user.js";
import {
  membershipsOf,
  MOST_ORGANIZATIONS,
  userIn,
  withMembership,
  withoutMembership,
} from "../model/memberships.rules.js";

/** Writes of memberships. All run in transactions that read the account first. */
export interface MembershipWrites {
  /** Saves rights as the next revision, unless modified concurrently. */
  update(current: UserDocument, changes: Partial<UserRights>, tx: ClientSession): Promise<UserDocument | "conflict">;
  /** Ends a membership, unless modified concurrently; also the account, if it was the last. */
  remove(current: UserDocument, tx: ClientSession): Promise<"removed" | "conflict">;
  /**
   * Disables or re-enables an account in all organizations, unless modified concurrently. @param at null to re-enable
   */
  disable(current: UserDocument, at: Date | null, tx: ClientSession): Promise<UserDocument | "conflict">;
  /** Adds an organization to an account. @returns the reason if it cannot */
  join(id: string, membership: Membership, tx: ClientSession): Promise<UserDocument | "missing" | "member" | "full">;
  /** Deletes an account in all organizations. @returns its memberships; null if already gone */
  removeAccount(id: string, tx: ClientSession): Promise<UserDocument[]>;
}

export function createMembershipWrites(documents: Documents<UserDocument>): MembershipWrites {
  const { collection: users, formAfter } = documents;

  const read = (_id: string, tx: ClientSession) => documents.find({ _id }, { session: tx });

  async function write(user: UserDocument, members: Partial<UserDocument>, tx: ClientSession): Promise<void> {
    const written = { ...members, form: formAfter(user) };
    await users.updateOne({ _id: user._id }, { $set: written }, { session: tx });
  }

  /** The account, if its membership is unmodified since it was read. */
  const unchanged: Unchanged = async ({ _id, organization_id, revision }, tx) => {
    const account = await read(_id, tx);
    const membership = account && membershipsOf(account).find((one) => one.organization_id === organization_id);
    return account !== null && membership?.revision === revision ? { account, membership } : null;
  };

  return {
    update: async (current, changes, tx) => {
      const found = await unchanged(current, tx);
      if (found === null) return "conflict";
      const { account, membership } = found;
      const changed = { ...membership, ...changes, ...nextRevision(membership, new Date()) };
      await write(account, withMembership(account, changed), tx);
      const saved = { ...current, ...changed };
      noteChange(tx, "user", { before: current, after: saved });
      return saved;
    },
    remove: async (current, tx) => {
      const found = await unchanged(current, tx);
      if (found === null) return "conflict";
      const left = withoutMembership(found.account, current.organization_id);
      if (left === null) await users.deleteOne({ _id: current._id }, { session: tx });
      else await write(found.account, left, tx);
      noteChange(tx, "user", { before: current });
      return "removed";
    },
    join: async (id, membership, tx) => {
      const account = await read(id, tx);
      if (account === null) return "missing";
      const organizations = membershipsOf(account).map(({ organization_id }) => organization_id);
      if (organizations.includes(membership.organization_id)) return "member";
      if (organizations.length >= MOST_ORGANIZATIONS) return "full";
      const added = withMembership(account, membership);
      await write(account, added, tx);
      const joined = userIn({ ...account, ...added }, membership.organization_id) ?? account;
      noteChange(tx, "user", { after: joined });
      return joined;
    },
    ...createAccountWrites(documents, unchanged),
  };
}

type Unchanged = (
  current: UserDocument,
  tx: ClientSession,
) => Promise<{ readonly account: UserDocument; readonly membership: Membership } | null>;

/** Changes an account in all of its organizations. */
function createAccountWrites(
  documents: Documents<UserDocument>,
  unchanged: Unchanged,
): Pick<MembershipWrites, "disable" | "removeAccount"> {
  const { collection: users } = documents;
  const read = (_id: string, tx: ClientSession) => documents.find({ _id }, { session: tx });
  return {
    disable: async (current, at, tx) => {
      const found = await unchanged(current, tx);
      if (found === null) return "conflict";
      const changed = documents.changing({ disabled_at: { $literal: at } }, new Date());
      await users.updateOne({ _id: current._id }, changed, { session: tx });
      const saved = await read(current._id, tx);
      for (const before of usersOf(found.account)) {
        const after = saved && userIn(saved, before.organization_id);
        if (after !== null) noteChange(tx, "user", { before, after });
      }
      return (saved && userIn(saved, current.organization_id)) ?? "conflict";
    },
    removeAccount: async (id, tx) => {
      const account = await read(id, tx);
      if (account === null) return [];
      await users.deleteOne({ _id: id }, { session: tx });
      const ended = usersOf(account);
      for (const before of ended) noteChange(tx, "user", { before });
      return ended;
    },
  };
}

/** An account as the user of each of its organizations. */
function usersOf(account: UserDocument): UserDocument[] {
  return membershipsOf(account).flatMap(({ organization_id }) => userIn(account, organization_id) ?? []);
}
