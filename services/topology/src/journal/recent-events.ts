import { LRUCache } from "lru-cache";
import { placeOf } from "@nts/shared/numbered";
import type { JournalDocument } from "./entries.rules.js";

// The latest events of all followed organizations, rendered once per process. A follower that lags a little continues
// from here instead of reading and rendering the same entries again.

/** In one process. */
const REMEMBERED_BYTES = 8 * 1_048_576;
/** Bytes of an entry without its event. */
const ENTRY_BYTES = 400;
/** Entries examined at once. */
const MOST_ENTRIES = 500;

/** The fields by which followers select an entry. */
export type SelectableEntry = Pick<
  JournalDocument,
  "at" | "network_id" | "host_id" | "entity" | "entity_id" | "action" | "user_id" | "key_id" | "request_id"
>;

interface RecentEvent {
  readonly entry: SelectableEntry;
  /** Null if no follower selected the entry. */
  readonly event: Buffer | null;
}

/** Events of entries up to a number; `last`: the number of the last one among them, null if there is none. */
export interface Taken {
  readonly events: readonly Buffer[];
  readonly n: number;
  readonly last: number | null;
}

/** The entries between two numbers that a follower selects. */
export interface Selection {
  readonly after: number;
  readonly upTo: number;
  readonly isMine: (entry: SelectableEntry) => boolean;
  /** Ends after the event with which this is reached. */
  readonly bytes: number;
}

export interface RecentEvents {
  /** @param event null if no follower selects the entry */
  add(entry: JournalDocument, event: Buffer | null): void;
  /** The next events; null if they are not kept, and must be read. */
  take(organizationId: string, selection: Selection): Taken | null;
}

export function createRecentEvents(): RecentEvents {
  const recent = new LRUCache<string, RecentEvent>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ event }) => ENTRY_BYTES + (event?.length ?? 0),
  });
  return {
    add: (entry, event) => {
      const { at, network_id, host_id, entity, entity_id, action, user_id, key_id, request_id } = entry;
      const kept = { at, network_id, host_id, entity, entity_id, action, user_id, key_id, request_id };
      recent.set(placeOf(entry.organization_id, entry.n), { entry: kept, event });
    },
    take: (organizationId, { after, upTo, isMine, bytes }) => {
      const events: Buffer[] = [];
      let n: number = after;
      let last: number | null = null;
      let left: number = bytes;
      while (n < upTo && left > 0 && n - after < MOST_ENTRIES) {
        // Not marked as used: the oldest leave first.
        const next = recent.peek(placeOf(organizationId, n + 1));
        const isSelected = next !== undefined && isMine(next.entry);
        if (next === undefined || (isSelected && next.event === null)) break;
        n += 1;
        if (!isSelected || next.event === null) continue;
        events.push(next.event);
        left -= next.event.length;
        last = n;
      }
      return n === after ? null : { events, n, last };
    },
  };
}
