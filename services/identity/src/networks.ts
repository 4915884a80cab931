import { listNetworkIds } from "@nts/shared/contract/internal";
import type { InternalClient } from "@nts/shared/http/internal-client";
import type { Scope } from "@nts/shared/http/tenancy";
import { narrowed } from "./scopes.js";

/** Knows which networks exist. */
export interface NetworkDirectory {
  /**
   * Ids of the networks of a scope that exist, ascending.
   *
   * @throws AppError `unavailable` or `upstream_timeout` when the topology service does not answer
   */
  usable(scope: Scope, requestId: string): Promise<string[]>;
}

/** Asks the topology service, which owns the networks, each time. */
export function createNetworkDirectory(topology: Pick<InternalClient, "ask">): NetworkDirectory {
  return {
    usable: async ({ organizationId, networks }, requestId) => {
      if (networks.length === 0) return [];
      const existing = await topology.ask(listNetworkIds, { params: { id: organizationId }, requestId });
      return narrowed(networks, existing).sort();
    },
  };
}
