import type { Db, Document } from "mongodb";
import { AppError } from "@nts/shared/errors";
import { inPresentForm } from "@nts/shared/mongo/forms";
import { FORMS, type Forms, type Stored } from "./documents.js";
import type { KeyChangeLog } from "./key-changes.js";
import { type KeyDocument, withSecret } from "../model/key.rules.js";
import { type CollectorDocument, withCollectorKey } from "../model/collector.rules.js";
import type { OrganizationDocument } from "../model/organization.js";
import type { SessionDocument } from "../model/session.js";
import type { ShareDocument } from "../model/share.rules.js";
import { userIn } from "../model/memberships.rules.js";
import type { UserDocument } from "../model/user.js";

// The counter of key changes is read first, so that results numbered N are at least as new as change N, and confirmed
// with the primary at the same time, so that a deposed primary is detected by its older number.

/** A stored API key; `number` is that of the newest key change, read first. */
export interface FoundKey {
  readonly number: number;
  /** Of the presented secret. */
  readonly hash: string;
  readonly key: KeyDocument | null;
  /** As a user of the key's organization. */
  readonly user: UserDocument | null;
  readonly organization: OrganizationDocument | null;
}

/** A stored session; `number` as in {@link FoundKey}. */
export interface FoundSession {
  readonly number: number;
  readonly session: SessionDocument | null;
  /** As a user of the session's organization. */
  readonly user: UserDocument | null;
  readonly organization: OrganizationDocument | null;
}

/** A stored share; `number` as in {@link FoundKey}. */
export interface FoundShare {
  readonly number: number;
  readonly share: ShareDocument | null;
  /** Who made it, as a user of its organization. */
  readonly user: UserDocument | null;
  readonly organization: OrganizationDocument | null;
  /** The key with which it was made; null for none, and for one that was removed. */
  readonly maker: KeyDocument | null;
}

/** A stored collector; `number` as in {@link FoundKey}. */
export interface FoundCollector {
  readonly number: number;
  /** Of the presented key. */
  readonly hash: string;
  readonly collector: CollectorDocument | null;
  readonly organization: OrganizationDocument | null;
}

export interface CredentialStore {
  /** @param hash of the whole secret */
  findKey(hash: string): Promise<FoundKey>;
  /** @param hash of the token */
  findSession(hash: string): Promise<FoundSession>;
  /** @param hash of the whole secret */
  findShare(hash: string): Promise<FoundShare>;
  /** @param hash of the whole key */
  findCollector(hash: string): Promise<FoundCollector>;
}

interface StoredCredential {
  number: number;
  key?: KeyDocument[];
  session?: SessionDocument[];
  share?: ShareDocument[];
  collector?: CollectorDocument[];
  user?: UserDocument[];
  organization?: OrganizationDocument[];
}

const NUMBER = { $match: { _id: "key_changes" } };

/** @param confirmed number of the newest change committed before the call, or of a later one */
export function createCredentialStore(
  db: Db,
  confirmed: KeyChangeLog["confirmed"],
  forms: Forms = FORMS,
): CredentialStore {
  const counters = db.collection("counters");

  function first<Kind extends keyof Stored>(
    kind: Kind,
    found: readonly Stored[Kind][] | undefined,
  ): Stored[Kind] | null {
    const [one] = found ?? [];
    return one === undefined ? null : inPresentForm<Stored[Kind]>(forms[kind], one, one.form);
  }

  /** @throws AppError `unavailable` if only reads older than the newest change are possible */
  async function find(stages: readonly Document[]): Promise<StoredCredential> {
    const [found, newest] = await Promise.all([read(stages), confirmed()]);
    if (found.number >= newest) return found;
    // A change was committed in between.
    const again = await read(stages);
    if (again.number >= newest) return again;
    throw new AppError("unavailable");
  }

  async function read(stages: readonly Document[]): Promise<StoredCredential> {
    const [found] = await counters.aggregate<StoredCredential>([NUMBER, ...stages]).toArray();
    if (found === undefined) throw new Error("the counter of key changes is missing");
    return found;
  }

  return {
    findKey: async (hash) => {
      const { number, key, user, organization } = await find([
        matching("api_keys", withSecret([hash]), "key"),
        byId("users", "key.user_id", "user"),
        byId("organizations", "key.organization_id", "organization"),
      ]);
      const found = first("api_keys", key);
      return {
        number,
        hash,
        key: found,
        user: userOf(first("users", user), found?.organization_id),
        organization: first("organizations", organization),
      };
    },
    findSession: async (hash) => {
      const { number, session, user, organization } = await find([
        matching("sessions", { hash }, "session"),
        byId("users", "session.user_id", "user"),
        byId("organizations", "session.organization_id", "organization"),
      ]);
      const found = first("sessions", session);
      return {
        number,
        session: found,
        user: userOf(first("users", user), found?.organization_id),
        organization: first("organizations", organization),
      };
    },
    findShare: async (hash) => {
      const { number, share, user, organization, key } = await find([
        matching("shares", { hash }, "share"),
        byId("users", "share.user_id", "user"),
        byId("organizations", "share.organization_id", "organization"),
        byId("api_keys", "share.key_id", "key"),
      ]);
      const [found = null] = share ?? [];
      const maker = first("api_keys", key);
      return {
        number,
        share: found,
        user: userOf(first("users", user), found?.organization_id),
        organization: first("organizations", organization),
        maker: maker?.organization_id === found?.organization_id ? maker : null,
      };
    },
    findCollector: async (hash) => {
      const { number, collector, organization } = await find([
        matching("collectors", withCollectorKey([hash]), "collector"),
        byId("organizations", "collector.organization_id", "organization"),
      ]);
      const [found = null] = collector ?? [];
      return { number, hash, collector: found, organization: first("organizations", organization) };
    },
  };
}

/** As a user of the credential's organization. */
function userOf(user: UserDocument | null, organizationId: string | undefined): UserDocument | null {
  return user === null || organizationId === undefined ? null : userIn(user, organizationId);
}

function matching(from: string, filter: Document, as: string): Document {
  return { $lookup: { from, pipeline: [{ $match: filter }], as } };
}

function byId(from: string, localField: string, as: string): Document {
  return { $lookup: { from, localField, foreignField: "_id", as } };
}
