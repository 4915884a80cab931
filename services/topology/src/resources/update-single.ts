import type { ClientSession } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import type { Work } from "@nts/shared/work";
import type { Entities, Entity, Stored } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";

/** An update of an entity that is not on a host. */
export interface SingleUpdate<T> {
  readonly work: Work;
  readonly scope: Scope;
  readonly id: string;
  /** The requested state; null if unchanged. */
  readonly next: (current: Stored<T>) => Stored<T> | null;
}

/** A state and its successor. */
export interface Change<T> {
  readonly current: Stored<T>;
  readonly next: Stored<T>;
}

/** Updates an entity in a transaction, unless a read shows that nothing changes. */
export async function updateSingle<T extends Entity>(
  { transaction }: Pick<Storage, "transaction">,
  entities: Entities<T>,
  { work, scope, id, next }: SingleUpdate<T>,
  write: (tx: ClientSession, change: Change<T>) => Promise<void>,
): Promise<Stored<T>> {
  const read = await entities.get(scope, id);
  if (next(read) === null) return read;
  return transaction(work, [id], async (tx) => {
    const current = await entities.get(scope, id, tx);
    const changed = next(current);
    if (changed === null) throw new Discard(current);
    await write(tx, { current, next: changed });
    return changed;
  });
}
