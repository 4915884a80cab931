import type { ClientSession, Filter } from "mongodb";
import type { Network, Subnet, Tag } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import type { Work } from "@nts/shared/work";
import { requireReferences, tagClaims } from "../references/claims.js";
import { insertSubnets } from "../references/insert-subnets.js";
import { replaceSubnet } from "../references/replace-subnet.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import type { Entities, EntityDocument, Stored } from "../storage/entities.js";
import { STORED } from "../storage/entity-reader.js";
import type { Storage } from "../storage/storage.js";
import { tagKeyOf } from "../storage/stores/tags.js";
import { reservedIn } from "../values/address-space.js";
import { parseBlock } from "../values/addresses.js";
import type { ArchivedForms } from "./forms.js";
import { freeKeys } from "./free-keys.js";
import { type Change, earlier, type Naming, tagsOf, writesOf } from "./plan.js";
import { networkKind } from "../kinds/network.js";
import { subnetKind } from "../kinds/subnet.js";
import { tagKind } from "../kinds/tag.js";

// Restores tags, networks and subnets: the few entities that others reference.

export type TopLevelKind = "Tag" | "Network" | "Subnet";
interface TopLevelEntities {
  readonly Tag: Tag;
  readonly Network: Network;
  readonly Subnet: Subnet;
}

/** The destination of an import. */
export interface Target {
  readonly storage: Storage;
  readonly work: Work;
  readonly scope: Scope;
}

/** How entities of a kind are built from an archive, looked up and written. */
interface TopLevelOperations<K extends TopLevelKind> {
  readonly entities: (storage: Storage) => Entities<TopLevelEntities[K]>;
  readonly build: (asked: ArchivedForms[K], naming: Naming, owner: Owner) => TopLevelEntities[K];
  /** Filter for entities that match by a unique key instead of the id. */
  readonly alike?: (asked: readonly ArchivedForms[K][]) => Filter<EntityDocument>;
  readonly isAlike?: (entity: TopLevelEntities[K], asked: ArchivedForms[K]) => boolean;
  readonly insert: (target: Target, tx: ClientSession, created: readonly TopLevelEntities[K][]) => Promise<void>;
  readonly replace: (target: Target, tx: ClientSession, change: Change<TopLevelEntities[K]>) => Promise<void>;
}

interface Owner {
  readonly id: string;
  readonly organizationId: string;
  readonly now: Date;
}

const madeOf = ({ id, now }: Owner, created_at: string) => ({ id, created_at: earlier(created_at, now), updated_at: now.toISOString() }); // prettier-ignore

const OPERATIONS: { readonly [K in TopLevelKind]: TopLevelOperations<K> } = {
  Tag: {
    entities: ({ tags }) => tags,
    build: (asked, _naming, owner) =>
      tagKind.make(asked, { ...madeOf(owner, asked.created_at), organization_id: owner.organizationId }),
    alike: (asked) => ({ name_key: { $in: asked.map(({ name }) => tagKeyOf(name)) } }),
    isAlike: (tag, { name }) => tagKeyOf(tag.name) === tagKeyOf(name),
    insert: async ({ storage: { tags, guards }, scope }, tx, created) => {
      await tags.insert(tx, scope, created);
      const owned = { kind: "tag", organization_id: scope.organizationId, network_id: null } as const;
      await guards.create(tx, created.map(({ id }) => ({ target: id, ...owned }))); // prettier-ignore
    },
    replace: ({ storage: { tags }, scope }, tx, { after }) => tags.replace(tx, scope, [after]),
  },
  Network: {
    entities: ({ networks }) => networks,
    build: (asked, naming, owner) =>
      networkKind.make(
        { ...asked, tags: tagsOf(asked.tags, naming) },
        { ...madeOf(owner, asked.created_at), organization_id: owner.organizationId },
      ),
    insert: async ({ storage: { networks, guards }, scope }, tx, created) => {
      await requireReferences(guards, tx, scope, created.flatMap(({ tags }) => tagClaims(tags))); // prettier-ignore
      await networks.insert(tx, scope, created);
      const owned = { kind: "network", organization_id: scope.organizationId } as const;
      await guards.create(tx, created.map(({ id }) => ({ target: id, network_id: id, ...owned }))); // prettier-ignore
    },
    replace: async ({ storage: { networks, guards }, scope }, tx, { before, after }) => {
      await requireReferences(guards, tx, scope, tagClaims(after.entity.tags, before.entity.tags));
      await networks.replace(tx, scope, [after]);
    },
  },
  Subnet: {
    entities: ({ subnets }) => subnets,
    build: (asked, naming, owner) =>
      subnetKind.make(
        { ...asked, tags: tagsOf(asked.tags, naming) },
        {
          ...madeOf(owner, asked.created_at),
          network_id: naming.place(asked.network_id),
          cidr: parseBlock(asked.cidr, "cidr").text,
          source: asked.source,
          reserved: reservedIn(asked.cidr, asked.reserved),
        },
      ),
    insert: async ({ storage, scope }, tx, created) => {
      for (const networkId of new Set(created.map(({ network_id }) => network_id)))
        await insertSubnets(storage, tx, scope, {
          networkId,
          inserted: created.filter(({ network_id }) => network_id === networkId),
        });
    },
    replace: async ({ storage, scope }, tx, { before, after }) => {
      await requireReferences(storage.guards, tx, scope, tagClaims(after.entity.tags, before.entity.tags));
      await replaceSubnet(storage, tx, scope, { current: before, next: after });
    },
  },
};

export interface TopLevelPlan<T> {
  /** By the ids in the archive. */
  readonly ids: ReadonlyMap<string, string>;
  readonly created: readonly T[];
  readonly changed: readonly Change<T>[];
  readonly unchanged: number;
}

/** Plans the import of some entities of a kind. @throws AppError `network_mismatch` if a subnet is in another network */
export async function planTopLevel<K extends TopLevelKind>(
  { storage, scope }: Omit<Target, "work">,
  kind: K,
  asked: readonly ArchivedForms[K][],
  naming: Naming,
): Promise<TopLevelPlan<TopLevelEntities[K]>> {
  const { entities, build, alike, isAlike } = OPERATIONS[kind] as unknown as TopLevelOperations<K>;
  const { select, storedIn } = entities(storage);
  const read = async (filter: Filter<EntityDocument>) =>
    (await select(scope, filter, { projection: STORED })).map((document) => storedIn(document, scope));
  const byId = await read({ _id: { $in: asked.flatMap(({ id }) => [id, naming.derived(id)]) } });
  const others = alike === undefined ? [] : await read(alike(asked));
  const now = new Date();
  const ids = new Map<string, string>();
  const all = asked.map((one) => {
    const found =
      byId.find(({ entity }) => entity.id === one.id) ??
      byId.find(({ entity }) => entity.id === naming.derived(one.id)) ??
      others.find(({ entity }) => isAlike?.(entity, one));
    const id = found?.entity.id ?? naming.derived(one.id);
    ids.set(one.id, id);
    return build(one, naming, { id, organizationId: scope.organizationId, now });
  });
  const present = [...new Map([...byId, ...others].map((one) => [one.entity.id, one])).values()];
  return { ids, ...writesOf(present, all, { now, of: asked.length }) };
}

/** Inserts entities in one transaction. */
export async function createTopLevel<K extends TopLevelKind>(target: Target, kind: K, created: readonly TopLevelEntities[K][]): Promise<void> {
  if (created.length === 0) return;
  const { storage, work, scope } = target;
  const limited = kind === "Tag" ? "tags" : kind === "Network" ? "networks" : undefined;
  await storage.quota.require(scope, limited);
  const { insert } = OPERATIONS[kind] as unknown as TopLevelOperations<K>;
  await refusingDuplicates(() => storage.transaction(work, created.map(({ id }) => id), (tx) => insert(target, tx, created))); // prettier-ignore
} // prettier-ignore

/** Restores entities, planned again inside the transaction. @throws AppError `not_found` */
export async function replaceTopLevel<K extends TopLevelKind>(target: Target, kind: K, changes: readonly Change<TopLevelEntities[K]>[]): Promise<void> {
  if (changes.length === 0) return;
  const { storage, work, scope } = target;
  const { entities, replace } = OPERATIONS[kind] as unknown as TopLevelOperations<K>;
  const ids = changes.map(({ after }) => after.entity.id);
  await refusingDuplicates(() =>
    storage.transaction(work, ids, async (tx) => {
      const before: Stored<TopLevelEntities[K]>[] = [];
      for (const id of ids) before.push(await entities(storage).get(scope, id, tx));
      const asked = changes.map(({ after }) => after.entity);
      const again = writesOf(before, asked, { now: new Date(), of: asked.length }).changed;
      if (again.length === 0) throw new Discard(null);
      if (kind === "Tag") await freeKeys(storage.tags, tx, scope, { key: "name_key", changes: again });
      for (const change of again) await replace(target, tx, change);
      return null;
    }),
  );
} // prettier-ignore
