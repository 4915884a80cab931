import { isId } from "@nts/shared/contract/common";
import type { TopologyDirectory } from "../../topology/directory.js";
import type { KeyStore } from "../../storage/api-keys.js";

/** Removes deleted managed tags from keys. */
export type RemoveDeletedTags = (organizationId: string, tags: readonly string[]) => Promise<void>;

export function createRemoveDeletedTags(
  keys: Pick<KeyStore, "dropTags">,
  topology: Pick<TopologyDirectory, "managedAmong">,
): RemoveDeletedTags {
  return async (organizationId, tags) => {
    const named = [...new Set(tags.filter(isId))];
    const living = new Set(await topology.managedAmong(named, organizationId));
    const dead = named.filter((tag) => !living.has(tag));
    if (dead.length > 0) await keys.dropTags(organizationId, dead);
  };
}
