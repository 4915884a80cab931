import type { Filter } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Work } from "@nts/shared/work";
import type { Entities, Entity, EntityDocument } from "../storage/entities.js";
import { revised } from "../storage/revisions.js";
import type { Storage } from "../storage/storage.js";

const BATCH = 500;

type Tagged = Entity & { readonly tags: readonly string[] };

/**
 * Takes tags off everything that carries them, in transactions of at most 500 entities: a tag can be on more than one
 * transaction can change. Nobody can add the tags meanwhile, because their guards are gone.
 */
export async function takeOff(storage: Storage, work: Work, scope: Scope, tagIds: readonly string[]): Promise<void> {
  const { networks, subnets, hosts, services } = storage;
  for (const entities of [networks, subnets, hosts, services] as unknown as Entities<Tagged>[])
    while ((await takeOffBatch(storage, { work, entities, scope, tagIds })) === BATCH);
}

interface Batch {
  readonly work: Work;
  readonly entities: Entities<Tagged>;
  readonly scope: Scope;
  readonly tagIds: readonly string[];
}

async function takeOffBatch(
  { hosts, services, transaction }: Storage,
  { work, entities, scope, tagIds }: Batch,
): Promise<number> {
  const found = await entities.select(scope, { tags: { $in: tagIds } }, { projection: { _id: 1 }, limit: BATCH });
  if (found.length === 0) return 0;
  return transaction(work, [`tags of ${scope.organizationId}`], async (session) => {
    const ids = found.map(({ _id }) => _id);
    const now = new Date();
    const current = await entities.findMany(scope, { _id: { $in: ids } }, session);
    const changed = current.flatMap((one) => {
      const tags = one.entity.tags.filter((tag) => !tagIds.includes(tag));
      const next = revised(one, { ...one.entity, tags }, now);
      return next === null ? [] : [next];
    });
    await entities.replace(session, scope, changed);
    // A document that names a tag which its text does not would be found again for ever.
    const stale: Filter<EntityDocument> = { ...entities.within(scope), _id: { $in: ids }, tags: { $in: tagIds } };
    await entities.collection.updateMany(stale, { $pull: { tags: { $in: tagIds } } } as object, { session });
    if (entities.name === services.name)
      await hosts.touch(
        session,
        scope,
        changed.map(({ entity }) => (entity as unknown as { host_id: string }).host_id),
      );
    return found.length;
  });
}
