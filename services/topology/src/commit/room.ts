import type { ClientSession } from "mongodb";
import { validationFailed } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Entities } from "../storage/entities.js";
import type { IndexKey } from "../storage/indexes.js";
import { matching } from "../storage/scope.js";

// Hosts are at the ends of a limited number of dependencies and links, which are deleted with them.

interface Adding {
  /** Plural. */
  readonly noun: string;
  /** Of one host. */
  readonly most: number;
  readonly hint: IndexKey;
  /** The hosts at ends that are new there, and where the request names them. */
  readonly added: readonly { readonly hostId: string; readonly path: string }[];
}

/** Counts under the locks of the hosts. @throws AppError `validation_failed` */
export async function requireRoom(
  { collection, within }: Pick<Entities<never>, "collection" | "within">,
  tx: ClientSession,
  scope: Scope,
  { noun, most, hint, added }: Adding,
): Promise<void> {
  if (added.length === 0) return;
  const among = { host_id: { $in: [...new Set(added.map(({ hostId }) => hostId))] } };
  const counted = { $group: { _id: "$host_id", count: { $sum: 1 } } };
  const stages = [{ $unwind: "$host_id" }, { $match: among }, counted];
  const found = await collection
    .aggregate<{ _id: string; count: number }>([{ $match: matching(within(scope), among) }, ...stages], {
      ...{ session: tx, hint },
    })
    .toArray();
  const present = new Map(found.map(({ _id, count }) => [_id, count]));
  for (const { hostId, path } of added) {
    const count = (present.get(hostId) ?? 0) + 1;
    present.set(hostId, count);
    if (count > most)
      throw validationFailed({ path, message: `a host can have at most ${most.toLocaleString("en")} ${noun}` });
  }
}
