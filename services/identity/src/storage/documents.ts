import type { ClientSession, Collection, Db, Document, Filter, FindOptions, OptionalUnlessRequiredId } from "mongodb";
import { FIRST_FORM, type Form, inPresentForm } from "@nts/shared/mongo/forms";
import type { KeyDocument } from "../model/key.rules.js";
import type { InviteDocument } from "../model/invite.rules.js";
import type { OrganizationDocument } from "../model/organization.js";
import type { SessionDocument } from "../model/session.js";
import type { UserDocument } from "../model/user.js";

// During a rolling update two builds write the same documents: writes change single members, so that newer ones
// survive; `form` is the oldest form of the writing builds, so that newer builds upgrade it on read.

/** Collections of persistent documents. */
export interface Stored {
  readonly organizations: OrganizationDocument;
  readonly users: UserDocument;
  readonly invites: InviteDocument;
  readonly sessions: SessionDocument;
  readonly api_keys: KeyDocument;
}

/** The stored form of each kind. */
export type Forms = { readonly [Kind in keyof Stored]: Form<Stored[Kind]> };

/** The forms that this build writes. */
export const FORMS: Forms = {
  organizations: FIRST_FORM,
  users: FIRST_FORM,
  invites: FIRST_FORM,
  sessions: FIRST_FORM,
  api_keys: FIRST_FORM,
};

/** Common members of documents. */
export interface Formed {
  _id: string;
  /** Absent for the first form. */
  form?: number;
}

/** Documents of one kind, read in the current form. */
export interface Documents<T extends Formed> {
  readonly collection: Collection<T>;
  /** Reads a document in the current form. */
  understood(found: T): T;
  find(filter: Filter<T>, options?: FindOptions): Promise<T | null>;
  insert(document: T, tx?: ClientSession): Promise<void>;
  /** The form of a document after a change by this build. */
  formAfter(read: T): number;
  /** An update of unread documents: members given as expressions, and the next revision. */
  changing(members: Readonly<Record<string, Document>>, now: Date): Document[];
}

export function openDocuments<Kind extends keyof Stored>(db: Db, kind: Kind, forms = FORMS): Documents<Stored[Kind]> {
  type T = Stored[Kind] & Formed;
  const collection = db.collection<T>(kind);
  const form = forms[kind] as unknown as Form<T>;
  const understood = (found: T): T => inPresentForm(form, found, found.form);
  return {
    collection,
    understood,
    find: async (filter, options) => {
      const found = await collection.findOne<T>(filter, options);
      return found && understood(found);
    },
    insert: async (document, tx) => {
      const stored = { ...document, form: form.version } as OptionalUnlessRequiredId<T>;
      await collection.insertOne(stored, { session: tx });
    },
    formAfter: ({ form: version = 1 }) => Math.min(version, form.version),
    changing: (members, now) => [
      {
        $set: {
          ...members,
          ...(kind === "users" && { other_memberships: movedOn(now) }),
          revision: { $add: ["$revision", 1] },
          updated_at: { $max: ["$updated_at", now] },
          form: { $min: [{ $ifNull: ["$form", 1] }, form.version] },
        },
      },
    ],
  };
}

/** The expression for other memberships of an account: a change of the account is a change of its user in each. */
function movedOn(now: Date): Document {
  const next = { revision: { $add: ["$$this.revision", 1] }, updated_at: { $max: ["$$this.updated_at", now] } };
  const input = "$other_memberships";
  return { $cond: [{ $isArray: input }, { $map: { input, in: { $mergeObjects: ["$$this", next] } } }, "$$REMOVE"] };
}

/** The expression for a list without some items. */
export function without(member: string, items: readonly string[]): Document {
  return { $filter: { input: `$${member}`, cond: { $not: [{ $in: ["$$this", { $literal: items }] }] } } };
}
