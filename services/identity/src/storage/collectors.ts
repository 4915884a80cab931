import type { ClientSession, Filter } from "mongodb";
import type { NetworkScope } from "@nts/shared/contract/internal";
import type { PageQuery } from "@nts/shared/mongo/keyset";
import type { AuditEvent } from "../model/audit-entry.rules.js";
import { type CollectorDocument, withCollectorKey } from "../model/collector.rules.js";
import { nextRevision } from "../model/revisions.rules.js";
import { noteChange } from "./audit-notes.js";
import type { Database } from "./database.js";
import { rowsIn, storedList, type StoredList } from "./pages.js";

export const COLLECTORS = "collectors";

/** Whose collectors a call may access; others do not exist for it. */
export interface CollectorScope {
  readonly organizationId: string;
  readonly networks: NetworkScope;
}

export interface CollectorQuery extends PageQuery {
  /** Empty for all. */
  readonly ids: readonly string[];
  readonly network_id?: string | undefined;
}

interface Changing {
  readonly tx: ClientSession;
  /** As recorded in the audit log. */
  readonly action?: AuditEvent["action"];
  /** What must still hold besides its id. */
  readonly if?: Filter<CollectorDocument>;
}

export interface CollectorStore {
  list(scope: CollectorScope, query: CollectorQuery): StoredList<CollectorDocument>;
  find(scope: CollectorScope, id: string): Promise<CollectorDocument | null>;
  /** All of an organization. */
  all(organizationId: string): Promise<CollectorDocument[]>;
  /** In any organization, as the caller knows the secret. */
  findByToken(hash: string): Promise<CollectorDocument | null>;
  findByKeys(hashes: readonly string[]): Promise<CollectorDocument[]>;
  count(organizationId: string, tx: ClientSession): Promise<number>;
  insert(collector: CollectorDocument, tx: ClientSession): Promise<void>;
  /** Saves settings as the next revision, unless modified concurrently. */
  update(
    current: CollectorDocument,
    changes: Partial<CollectorDocument>,
    tx: ClientSession,
  ): Promise<CollectorDocument | "conflict">;
  /** Changes what is no setting; the revision remains. */
  change(
    current: CollectorDocument,
    changes: Partial<CollectorDocument>,
    how: Changing,
  ): Promise<CollectorDocument | "conflict">;
  /** Saves what a collector says of itself, which is not audited. */
  describe(current: CollectorDocument, said: Pick<CollectorDocument, "hostname" | "version" | "senses">): Promise<void>;
  remove(current: CollectorDocument, tx: ClientSession): Promise<"removed" | "conflict">;
  /** Moves `last_seen_at` forward and changes nothing else. */
  recordSeen(seen: readonly { readonly id: string; readonly at: Date }[]): Promise<void>;
}

export function createCollectorStore({ db, share }: Database): CollectorStore {
  const collectors = db.collection<CollectorDocument>(COLLECTORS);
  return {
    list: (scope, { ids, network_id, ...query }) => {
      const filter: Filter<CollectorDocument> = {
        $and: [within(scope), ids.length > 0 ? { _id: { $in: [...ids] } } : {}, network_id ? { network_id } : {}],
      };
      const source = { rows: rowsIn(collectors, filter), share, understood: (found: CollectorDocument) => found };
      return storedList(source, { name: "Collector", organizationId: scope.organizationId }, query);
    },
    find: (scope, _id) => share(scope.organizationId, () => collectors.findOne({ $and: [within(scope), { _id }] })),
    all: (organization_id) => share(organization_id, () => collectors.find({ organization_id }).toArray()),
    findByToken: (hash) => collectors.findOne({ "token.hash": hash }),
    findByKeys: async (hashes) =>
      hashes.length === 0 ? [] : collectors.find<CollectorDocument>(withCollectorKey(hashes)).toArray(),
    count: (organization_id, tx) => collectors.countDocuments({ organization_id }, { session: tx }),
    insert: async (made, tx) => {
      await collectors.insertOne(made, { session: tx });
      noteChange(tx, "collector", { after: made });
    },
    update: async (current, changes, tx) => {
      const { _id, revision } = current;
      const written = { ...changes, ...nextRevision(current, new Date()) };
      const { matchedCount } = await collectors.updateOne({ _id, revision }, { $set: written }, { session: tx });
      if (matchedCount === 0) return "conflict";
      const saved = { ...current, ...written };
      noteChange(tx, "collector", { before: current, after: saved });
      return saved;
    },
    change: async (current, changes, { tx, action, if: condition = {} }) => {
      const filter: Filter<CollectorDocument> = { $and: [{ _id: current._id }, condition] };
      const { matchedCount } = await collectors.updateOne(filter, { $set: changes }, { session: tx });
      if (matchedCount === 0) return "conflict";
      const saved = { ...current, ...changes };
      noteChange(tx, "collector", { before: current, after: saved, ...(action !== undefined && { action }) });
      return saved;
    },
    describe: async ({ _id }, { hostname, version, senses }) => {
      await collectors.updateOne({ _id }, { $set: { hostname, version, senses } });
    },
    remove: async (current, tx) => {
      const { deletedCount } = await collectors.deleteOne({ _id: current._id }, { session: tx });
      if (deletedCount === 0) return "conflict";
      noteChange(tx, "collector", { before: current });
      return "removed";
    },
    recordSeen: async (seen) => {
      await collectors.bulkWrite(
        seen.map(({ id: _id, at }) => ({ updateOne: { filter: { _id }, update: { $max: { last_seen_at: at } } } })),
        { ordered: false },
      );
    },
  };
}

function within({ organizationId: organization_id, networks }: CollectorScope): Filter<CollectorDocument> {
  return networks === "all" ? { organization_id } : { organization_id, network_id: { $in: networks } };
}
