import type { Cause } from "@nts/shared/http/headers";
import { isId } from "@nts/shared/contract/common";
import type { TopologyDirectory } from "../topology.js";
import type { KeyDocument } from "./key.rules.js";
import type { KeyStore } from "./store.js";

/** Makes the function that looks for managed tags that were deleted while no notice of it came through. */
export function createDeadTagSweep(
  keys: Pick<KeyStore, "dropTags">,
  topology: Pick<TopologyDirectory, "managedAmong">,
): DeadTagSweep {
  return async (organizationId, found, cause) => {
    const named = [...new Set(found.flatMap(({ tags }) => tags.filter(isId)))];
    const living = await topology.managedAmong(named, organizationId, cause);
    const dead = named.filter((tag) => !living.includes(tag));
    if (dead.length > 0) await keys.dropTags(organizationId, dead);
    return dead.length > 0;
  };
}

/** Takes dead tags off keys; true when there were any, so that the keys have to be read again. */
export type DeadTagSweep = (
  organizationId: string,
  found: readonly Pick<KeyDocument, "tags">[],
  cause?: Cause,
) => Promise<boolean>;
