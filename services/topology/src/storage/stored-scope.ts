import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn, type Moment } from "@nts/shared/mongo/raw-find";
import type { Database } from "./database.js";
import type { DeletionDocument } from "./deletion-records.js";
import { SMALL_COLLECTION_INDEX } from "./indexes.js";
import { withinOrganization } from "./scope.js";

/** The scope at a snapshot, without what was hidden by then. @param moment determined unless given */
export async function storedScope(database: Database, scope: Scope, moment: Moment): Promise<Scope> {
  const deletions: DeletionDocument[] = [];
  const projection = { kind: 1, ids: 1, deleted_at: 1 };
  const find = { filter: withinOrganization(scope), projection, hint: { organization_id: 1 } };
  for await (const batch of database.batches(scope, { collection: "deletions", ...find }, moment))
    deletions.push(...(documentsIn(batch) as DeletionDocument[]));
  const of = (selected: DeletionDocument["kind"]): DeletionDocument[] =>
    deletions.filter(({ kind }) => kind === selected);
  const networks = new Set(of("network").map(({ _id }) => _id));
  const hosts = new Set(of("hosts").flatMap(({ ids = [] }) => ids));
  const tags = new Map(of("tags").flatMap(({ ids = [], deleted_at }) => ids.map((id) => [id, deleted_at] as const)));
  const { organizationId } = scope;
  const hidden = { hosts, tags };
  if (networks.size === 0) return { organizationId, networks: scope.networks, hidden };
  const all = scope.networks === "all" ? await networksOf(database, scope, moment) : scope.networks;
  return { organizationId, networks: all.filter((id) => !networks.has(id)), hidden };
}

async function networksOf(database: Database, scope: Scope, moment: Moment): Promise<string[]> {
  const ids: string[] = [];
  const find = { filter: withinOrganization(scope), projection: { _id: 1 }, hint: SMALL_COLLECTION_INDEX };
  for await (const batch of database.batches(scope, { collection: "networks", ...find }, moment))
    ids.push(...documentsIn(batch).map(({ _id }) => String(_id)));
  return ids;
}
