import type { Cause } from "@nts/shared/http/headers";
import { isId } from "@nts/shared/contract/common";
import {
  type AuditNote,
  confirmAuditNotes,
  findTagIds,
  listAuditNotes,
  listNetworkIds,
  removeOrganization,
} from "@nts/shared/contract/internal";
import { AppError } from "@nts/shared/errors";
import type { InternalClient } from "@nts/shared/http/internal-client";
import type { Scope } from "@nts/shared/http/tenancy";
import { narrowed } from "./scopes.rules.js";

const MOST_IDS = 1_000;

/**
 * Knows what exists of what the topology service owns. All methods throw AppError `unavailable` or `upstream_timeout`
 * when it does not answer: nothing is guessed. `cause` is absent where nobody asked.
 */
export interface TopologyDirectory {
  /** Ids of the networks of a scope that exist, ascending. */
  networksIn(scope: Scope, cause?: Cause): Promise<string[]>;
  /** Those of the tags that are ids of managed tags of the organization. */
  managedAmong(tags: readonly string[], organizationId: string, cause?: Cause): Promise<string[]>;
  /** Says that an organization is deleted; it may be said again. */
  removeOrganization(organizationId: string): Promise<void>;
}

/** What topology has noted for the audit log. It throws as {@link TopologyDirectory} does. */
export interface AuditNoteSource {
  /** The next ones behind a note, in the order of commit of each organization; none at the end. */
  page(after: string): Promise<readonly AuditNote[]>;
  /** Says that they are written. */
  confirm(organizationId: string, ids: readonly string[]): Promise<void>;
}

export function createAuditNoteSource(topology: Pick<InternalClient, "ask">): AuditNoteSource {
  return {
    page: async (after) => {
      try {
        return await topology.ask(listAuditNotes, { query: { after } });
      } catch (error) {
        // A replica of an earlier version notes nothing.
        if (error instanceof AppError && error.code === "not_found") return [];
        throw error;
      }
    },
    confirm: async (organizationId, ids) => {
      await topology.ask(confirmAuditNotes, { params: { id: organizationId }, body: { ids: [...ids] } });
    },
  };
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
    removeOrganization: async (organizationId) => {
      await topology.ask(removeOrganization, { params: { id: organizationId } });
    },
  };
}
