import { LRUCache } from "lru-cache";
import { placeOf, placesBehind } from "@nts/shared/numbered";
import { BY_ID } from "../storage/indexes.js";
import { ALL, type JournalCollections } from "./collections.js";
import { type Draft, type JournalDocument, type Known, knownAfter } from "./entries.rules.js";
import { lastEntries, recordedAsDeleted } from "./last-entries.js";

// The end of the journal: the last state of each entity, and the last number of each organization. Partly cached by the
// appending process, which is valid while no other process appends; that is detected.

/** By an estimate that is twice what ASCII takes. A large import fills it with states that nobody asks for soon. */
const REMEMBERED_BYTES = 12 * 1_048_576;
/** The basis of a state. */
const OF_STATES = {
  organization_id: 1,
  entity_id: 1,
  action: 1,
  revision: 1,
  wire: 1,
  form: 1,
  restored: 1,
  missed: 1,
  sighted: 1,
};

export interface KnownStates {
  /** Loads what is not cached for some entities. */
  load(ids: readonly string[], organizationIds: readonly string[]): Promise<void>;
  /** Entities recorded as deleted. */
  goneAmong(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** What was loaded, or appended since. */
  get(id: string): Known | null;
  /** Assigns the next number to a draft, and caches its result. */
  place(draft: Draft): JournalDocument;
  /** Forgets everything cached, when what was placed may not have been written. */
  forget(): void;
}

export function createKnownStates({ journal, gone }: JournalCollections): KnownStates {
  const states = new LRUCache<string, { readonly known: Known | null }>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ known }) => 200 + 2 * (known?.state?.wire.length ?? 0),
  });
  /** Never evicted while states are cached: a number must not be newer than they are. */
  const numbers = new Map<string, number>();
  /** The current batch, even if it exceeds the cache. */
  let batch = new Map<string, Known | null>();

  return {
    load: async (ids, organizationIds) => {
      // Numbers first: an entry appended after this takes the next one, and may be among those read.
      for (const one of new Set(organizationIds)) if (!numbers.has(one)) numbers.set(one, await lastNumber(one));
      batch = new Map();
      const missing: string[] = [];
      for (const id of new Set(ids)) {
        const remembered = states.get(id);
        if (remembered === undefined) missing.push(id);
        batch.set(id, remembered?.known ?? null);
      }
      if (missing.length === 0) return;
      const found = await lastEntries({ journal }, { organizationIds, ids: missing, projection: OF_STATES });
      for (const entry of found) batch.set(entry.entity_id, knownAfter(entry));
      for (const id of missing) states.set(id, { known: batch.get(id) ?? null });
    },
    goneAmong: async (ids) => {
      const looked = [...new Set(ids)].map((id) => ({ id, remembered: states.get(id) }));
      const gone = new Set(looked.flatMap(({ id, remembered }) => (remembered?.known?.state === null ? [id] : [])));
      const missing = looked.flatMap(({ id, remembered }) => (remembered === undefined ? [id] : []));
      for (const id of await recordedAsDeleted({ journal }, missing)) gone.add(id);
      return gone;
    },
    get: (id) => batch.get(id) ?? null,
    place: (draft) => {
      const { organization_id, entity_id } = draft;
      const n = (numbers.get(organization_id) ?? 0) + 1;
      numbers.set(organization_id, n);
      const known = knownAfter(draft);
      batch.set(entity_id, known);
      states.set(entity_id, { known });
      return { _id: placeOf(organization_id, n), n, ...draft };
    },
    forget: () => {
      states.clear();
      numbers.clear();
      batch.clear();
    },
  };

  async function lastNumber(organization_id: string): Promise<number> {
    const last = await lastOf(journal, organization_id);
    const swept = await gone.findOne({ _id: `${organization_id}:${ALL}`, organization_id });
    return Math.max(last, swept?.n ?? 0);
  }
}

/** The last number of an organization's journal; 0 if it is empty. */
export async function lastOf(journal: JournalCollections["journal"], organization_id: string): Promise<number> {
  const range = { organization_id, _id: placesBehind(organization_id, 0) };
  const [last] = await journal
    .find(range, { hint: BY_ID, projection: { n: 1 } })
    .sort({ _id: -1 })
    .limit(1)
    .toArray();
  return last?.n ?? 0;
}
