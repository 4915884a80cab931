import type { Filter } from "mongodb";
import type { Link, Subnet } from "@nts/shared/contract";
import { forKinds, type PluralOf, pluralOf } from "@nts/shared/contract/kinds";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import type { Work } from "@nts/shared/work";
import type { Change } from "../commit/changes.rules.js";
import { commitNew } from "../commit/create.js";
import { store } from "../commit/store.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import type { Entities, Entity, EntityDocument, Stored } from "../storage/entities.js";
import { STORED } from "../storage/entity-reader.js";
import type { Storage } from "../storage/storage.js";
import {
  ENTITY_KINDS,
  type EntityIn,
  IN_NETWORK_ALONE,
  type KindInNetworkAlone,
  type TopLevelKind,
} from "../kinds/index.js";
import type { KindRules } from "../kinds/kind.js";
import { networkKind } from "../kinds/network.js";
import { tagKeyOf, tagKind } from "../kinds/tag.js";
import { reservedIn } from "../values/address-space.js";
import { parseBlock } from "../values/addresses.js";
import { type Ends, endsKeyOf, renamed } from "../values/ends.rules.js";
import type { ArchivedForms } from "./forms.js";
import { earlier, type Naming, tagsOf, writesOf } from "./plan.js";
import { localView } from "./view-places.js";
import { endsKey } from "../values/link-ends.rules.js";

// Restores entities that are not on hosts.

type TopLevelEntity<K extends TopLevelKind> = EntityIn<PluralOf<K>>;

/** The destination of an import. */
export interface Target {
  readonly storage: Storage;
  readonly work: Work;
  readonly scope: Scope;
}

/** How entities of a kind are built from an archive, looked up and written. */
interface Operations<T extends Entity, Archived> {
  readonly entities: (storage: Storage) => Entities<T>;
  /** @param before the entity that it restores; undefined if there is none */
  readonly build: (archived: Archived, naming: Naming, owner: Owner, before: T | undefined) => T;
  /** Filter for entities that match by a unique key instead of the id. */
  readonly alike?: (archived: readonly Archived[], naming: Naming) => Filter<EntityDocument>;
  readonly isAlike?: (entity: T, archived: Archived, naming: Naming) => boolean;
}
type TopLevelOperations<K extends TopLevelKind> = Operations<TopLevelEntity<K>, ArchivedForms[K]>;

interface Owner {
  readonly id: string;
  readonly organizationId: string;
  readonly now: Date;
}

const madeOf = ({ id, now }: Owner, created_at: string) => ({
  id,
  created_at: earlier(created_at, now),
  updated_at: now.toISOString(),
});

const OPERATIONS: { readonly [K in TopLevelKind]: TopLevelOperations<K> } = {
  Tag: {
    entities: ({ tags }) => tags,
    build: (archived, _naming, owner, before) =>
      tagKind.make(archived, { ...madeOf(owner, archived.created_at), organization_id: owner.organizationId }, before),
    alike: (archived) => ({ name_key: { $in: archived.map(({ name }) => tagKeyOf(name)) } }),
    isAlike: (tag, { name }) => tagKeyOf(tag.name) === tagKeyOf(name),
  },
  Network: {
    entities: ({ networks }) => networks,
    build: (archived, naming, owner, before) =>
      networkKind.make(
        { ...archived, tags: tagsOf(archived.tags, naming) },
        { ...madeOf(owner, archived.created_at), organization_id: owner.organizationId },
        before,
      ),
  },
  ...(forKinds(IN_NETWORK_ALONE, (kind) => inNetwork(kind)) as unknown as {
    readonly [K in KindInNetworkAlone]: TopLevelOperations<K>;
  }),
  View: inNetwork("View", () => ({}), localView),
  Dependency: {
    ...inNetwork("Dependency", () => ({}), localEnds),
    alike: (archived, naming) => ({ ends: { $in: archived.map((one) => endsKeyOf(localEnds(one, naming))) } }),
    isAlike: (entity, archived, naming) => endsKeyOf(entity) === endsKeyOf(localEnds(archived, naming)),
  },
  Vlan: {
    ...inNetwork("Vlan"),
    alike: (archived, { place }) => ({
      network_id: { $in: archived.map(({ network_id }) => place(network_id)) },
      vid: { $in: archived.map(({ vid }) => vid) },
    }),
    isAlike: (vlan, { network_id, vid }, { place }) => vlan.network_id === place(network_id) && vlan.vid === vid,
  },
  Link: {
    ...inNetwork("Link", () => ({}), localLink),
    alike: (archived, naming) => ({ ends: { $in: archived.map((one) => endsKey(localLink(one, naming).ends)) } }),
    isAlike: (link, archived, naming) => endsKey(link.ends) === endsKey(localLink(archived, naming).ends),
  },
  Subnet: inNetwork(
    "Subnet",
    (archived: ArchivedForms["Subnet"], before: Subnet | undefined) => {
      const cidr = parseBlock(archived.cidr, "cidr").text;
      const kept = before?.cidr === cidr ? before.reserved : [];
      return { cidr, reserved: reservedIn(cidr, archived.reserved ?? kept) };
    },
    ({ vlan_id }, { place }) => (typeof vlan_id === "string" ? { vlan_id: place(vlan_id) } : {}),
  ),
};

type InNetwork = Entity & {
  readonly network_id: string | null;
  readonly tags?: readonly string[];
  readonly source?: unknown;
};

/** The members of a link that refer to entities, with local ids. */
function localLink(
  { ends, vlan_ids }: ArchivedForms["Link"],
  { place, runner }: Naming,
): Pick<Link, "ends" | "vlan_ids"> {
  return {
    ends: ends.map(({ host_id, interface_id, port }) => ({
      host_id: runner(host_id),
      interface_id: interface_id === null ? null : runner(interface_id),
      port,
    })),
    vlan_ids: vlan_ids.map(place),
  };
}

/** The ends of a dependency with local ids. */
function localEnds({ client, server }: ArchivedForms["Dependency"], { runner }: Naming): Ends {
  return renamed({ client, server }, runner);
}

/**
 * Operations of a kind in networks.
 *
 * @param placedIn members with rules of their own
 * @param localIn members with ids of the archive, as they are here
 */
function inNetwork<K extends KindInNetworkAlone>(
  kind: K,
  placedIn: (archived: ArchivedForms[K], before: EntityIn<PluralOf<K>> | undefined) => object = () => ({}),
  localIn: (archived: ArchivedForms[K], naming: Naming) => object = () => ({}),
): TopLevelOperations<K> {
  const plural = pluralOf(kind);
  const { make } = ENTITY_KINDS[plural] as unknown as KindRules<InNetwork, object, object, object>;
  const operations: Operations<InNetwork, InNetwork> = {
    entities: (storage) => storage[plural],
    build: (archived, naming, owner, before) => {
      const { created_at, network_id, source, tags } = archived;
      const place = network_id === null ? null : naming.place(network_id);
      const server = { ...madeOf(owner, created_at), network_id: place, ...(source !== undefined && { source }) };
      return make(
        { ...archived, ...(tags && { tags: tagsOf(tags, naming) }), ...localIn(archived as never, naming) },
        { ...server, ...placedIn(archived as never, before as never) },
        before,
      );
    },
  };
  return operations as unknown as TopLevelOperations<K>;
}

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
  archived: readonly ArchivedForms[K][],
  naming: Naming,
): Promise<TopLevelPlan<TopLevelEntity<K>>> {
  const { entities, build, alike, isAlike } = OPERATIONS[kind] as unknown as TopLevelOperations<K>;
  const { select, storedIn } = entities(storage);
  const read = async (filter: Filter<EntityDocument>) =>
    (await select(scope, filter, { projection: STORED })).map((document) => storedIn(document, scope));
  const byId = await read({ _id: { $in: archived.flatMap(({ id }) => [id, naming.derived(id)]) } });
  const others = alike === undefined ? [] : await read(alike(archived, naming));
  const now = new Date();
  const ids = new Map<string, string>();
  const all = archived.map((one) => {
    const found =
      byId.find(({ entity }) => entity.id === one.id) ??
      byId.find(({ entity }) => entity.id === naming.derived(one.id)) ??
      others.find(({ entity }) => isAlike?.(entity, one, naming));
    const id = found?.entity.id ?? naming.derived(one.id);
    ids.set(one.id, id);
    return build(one, naming, { id, organizationId: scope.organizationId, now }, found?.entity);
  });
  const present = [...new Map([...byId, ...others].map((one) => [one.entity.id, one])).values()];
  return { ids, ...writesOf(present, all, { now, of: archived.length }) };
}

/** Inserts entities in one transaction. */
export async function createTopLevel<K extends TopLevelKind>(
  target: Target,
  kind: K,
  created: readonly TopLevelEntity<K>[],
): Promise<void> {
  if (created.length === 0) return;
  await commitNew(target.storage, target, { [pluralOf(kind)]: { created } });
}

/** Restores entities, planned again inside the transaction. @throws AppError `not_found` */
export async function replaceTopLevel<K extends TopLevelKind>(
  target: Target,
  kind: K,
  changes: readonly Change<TopLevelEntity<K>>[],
): Promise<void> {
  if (changes.length === 0) return;
  const { storage, work, scope } = target;
  const { entities } = OPERATIONS[kind] as unknown as TopLevelOperations<K>;
  const ids = changes.map(({ after }) => after.entity.id);
  await refusingDuplicates(() =>
    storage.transaction(work, ids, async (tx) => {
      const before: Stored<TopLevelEntity<K>>[] = [];
      for (const id of ids) before.push(await entities(storage).get(scope, id, tx));
      const archived = changes.map(({ after }) => after.entity);
      const again = writesOf(before, archived, { now: new Date(), of: archived.length }).changed;
      if (again.length === 0) throw new Discard(null);
      await store(storage, tx, scope, { changes: { [pluralOf(kind)]: { changed: again } } });
      return null;
    }),
  );
}
