import { deletedAmong, withoutDeleted } from "../storage/hidden-tags.rules.js";
import type { DeletionDocument } from "../storage/deletion-records.js";
import type { Entity } from "../storage/entities.js";
import { hostsOf, type Placed } from "../values/ends.rules.js";
import type { EntityEvent } from "./entries.rules.js";

// Recorded deletions whose documents still exist: later writes of such documents are not recorded, and deleted tags are
// removed from whatever carries them.

export type HiddenDeletion = Pick<DeletionDocument, "_id" | "kind" | "organization_id" | "deleted_at" | "ids">;

/** What was hidden up to the stream position. */
export interface HiddenThings {
  add(deletion: HiddenDeletion): void;
  remove(deletionId: string): void;
  clear(): void;
  /** The event as returned to clients; null if its entity is hidden. */
  seen(event: EntityEvent): EntityEvent | null;
}

export function createHiddenThings(): HiddenThings {
  const deletions = new Map<string, HiddenDeletion>();
  /** Ids of networks and hosts. */
  let places = new Set<string>();
  let tags = new Map<string, Map<string, Date>>();
  let organizations = new Set<string>();

  function putTogether(): void {
    places = new Set();
    tags = new Map();
    organizations = new Set();
    for (const { _id, kind, organization_id, deleted_at, ids = [] } of deletions.values()) {
      if (kind === "organization") organizations.add(_id);
      else if (kind === "network") places.add(_id);
      else if (kind === "hosts") for (const id of ids) places.add(id);
      else {
        const mine = tags.get(organization_id) ?? new Map<string, Date>();
        tags.set(organization_id, mine);
        for (const id of ids) mine.set(id, deleted_at);
      }
    }
  }

  return {
    add: (deletion) => {
      deletions.set(deletion._id, deletion);
      putTogether();
    },
    remove: (id) => {
      if (deletions.delete(id)) putTogether();
    },
    clear: () => {
      deletions.clear();
      putTogether();
    },
    seen: (event) => {
      const { state, organizationId } = event;
      if (organizations.has(organizationId)) return null;
      const deleted = tags.get(organizationId);
      if (state === null || state === undefined || (places.size === 0 && deleted === undefined)) return event;
      const entity = JSON.parse(state.wire) as Entity & Placed & { readonly tags?: readonly string[] };
      if ([entity.network_id ?? "", ...hostsOf(entity)].some((id) => places.has(id))) return null;
      if (deleted === undefined || entity.tags === undefined) return event;
      if (deletedAmong(entity.tags, deleted).length === 0) return event;
      const stored = { entity: entity as Entity & { tags: readonly string[] }, revision: state.revision ?? 1 };
      const visible = withoutDeleted(stored, deleted);
      const { revision } = visible;
      return { ...event, state: { ...state, revision, wire: JSON.stringify(visible.entity) } };
    },
  };
}
