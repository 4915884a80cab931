import { type AuditNote, confirmAuditNotes, listAuditNotes } from "@nts/shared/contract/internal";
import { AppError } from "@nts/shared/errors";
import type { InternalClient } from "@nts/shared/upstream/internal-client";

/** Topology's audit notes. Throws like `TopologyDirectory`. */
export interface AuditNoteSource {
  /** The next notes after a given one, in commit order per organization; empty at the end. */
  page(after: string): Promise<readonly AuditNote[]>;
  /** Acknowledges written notes. */
  confirm(organizationId: string, ids: readonly string[]): Promise<void>;
}

export function createAuditNoteSource(topology: Pick<InternalClient, "ask">): AuditNoteSource {
  return {
    page: async (after) => {
      try {
        return await topology.ask(listAuditNotes, { query: { after } });
      } catch (error) {
        // A replica of an earlier version has no notes.
        if (error instanceof AppError && error.code === "not_found") return [];
        throw error;
      }
    },
    confirm: async (organizationId, ids) => {
      await topology.ask(confirmAuditNotes, { params: { id: organizationId }, body: { ids: [...ids] } });
    },
  };
}
