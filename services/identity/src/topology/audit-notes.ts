import { type AuditNote, confirmAuditNotes, listAuditNotes } from "@nts/shared/contract/internal";
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
    page: (after) => topology.ask(listAuditNotes, { query: { after } }),
    confirm: async (organizationId, ids) => {
      await topology.ask(confirmAuditNotes, { params: { id: organizationId }, body: { ids: [...ids] } });
    },
  };
}
