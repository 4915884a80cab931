import type { Cause } from "@nts/shared/http/headers";
import { isId } from "@nts/shared/contract/common";
import { findTagIds, listNetworkIds } from "@nts/shared/contract/internal";
import type { InternalClient } from "@nts/shared/http/internal-client";
import type { Scope } from "@nts/shared/http/tenancy";
import { narrowed } from "./scopes.rules.js";

const MOST_IDS = 1_000;

/**
 * Knows what exists of what the topology service owns. Both methods throw AppError `unavailable` or `upstream_timeout`
 * when it does not answer: nothing is guessed. `cause` is absent where nobody asked.
 */
export interface TopologyDirectory {
  /** Ids of the networks of a scope that exist, ascending. */
  networksIn(scope: Scope, cause?: Cause): Promise<string[]>;
  /** Those of the tags that are ids of managed tags of the organization. */
  managedAmong(tags: readonly string[], organizationId: string, cause?: Cause): Promise<string[]>;
}

/** Asks the topology service each time, but not when the answer can only be nothing. */
export function createTopologyDirectory(topology: Pick<InternalClient, "ask">): TopologyDirectory {
  return {
    networksIn: async ({ organizationId, networks }, cause) => {
      if (networks.length === 0) return [];
      const existing = await topology.ask(listNetworkIds, { params: { id: organizationId }, ...(cause && { cause }) });
      return narrowed(networks, existing).sort();
    },
    managedAmong: async (tags, organizationId, cause) => {
      const ids = [...new Set(tags.filter(isId))];
      const managed: string[] = [];
      for (let start = 0; start < ids.length; start += MOST_IDS) {
        const body = { ids: ids.slice(start, start + MOST_IDS) };
        managed.push(
          ...(await topology.ask(findTagIds, { params: { id: organizationId }, body, ...(cause && { cause }) })),
        );
      }
      return managed;
    },
  };
}
