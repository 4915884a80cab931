import { setTimeout as delay } from "node:timers/promises";
import { placeOf, placesBehind } from "@nts/shared/numbered";
import { BY_ID, JOURNAL_OF_ENTITY, LAST_ENTRIES_FIRST } from "../storage/indexes.js";
import { ALL, type JournalCollections } from "./collections.js";

// Old entries are first marked as gone per network, and deleted when no earlier request can still be reading them. The
// last entry of an existing entity is kept, but hidden from `/changes`: the next one builds on it.

const BATCH = 500;
/** Longer than any request reads. */
const GRACE_MS = 60_000;

/** Deletes older entries of all organizations. */
export async function sweepJournal(
  collections: JournalCollections,
  before: Date,
  signal: AbortSignal,
  graceMs = GRACE_MS,
): Promise<void> {
  const organizations = await organizationsOf(collections);
  for (const one of organizations) if (!signal.aborted) await declareGone(collections, one, before);
  await delay(graceMs, null, { signal }).catch(() => null);
  for (const one of organizations) if (!signal.aborted) await deleteGone(collections, one, signal);
}

/** One lookup each, since their positions are adjacent. */
async function organizationsOf({ journal }: JournalCollections): Promise<string[]> {
  const organizations: string[] = [];
  for (let after = ""; ;) {
    const next = journal.find({ _id: { $gt: after } }, { hint: BY_ID, projection: { organization_id: 1 } });
    const [found] = await next.sort({ _id: 1 }).limit(1).toArray();
    if (found === undefined) return organizations;
    organizations.push(found.organization_id);
    after = `${found.organization_id};`;
  }
}

async function declareGone(
  { journal, gone }: JournalCollections,
  organization_id: string,
  before: Date,
): Promise<void> {
  const known = await gone.findOne({ _id: `${organization_id}:${ALL}`, organization_id });
  for (let from = known?.n ?? 0; ;) {
    const range = { organization_id, _id: placesBehind(organization_id, from) };
    const options = { hint: BY_ID, projection: { n: 1, at: 1, network_id: 1 } };
    const found = await journal.find(range, options).sort({ _id: 1 }).limit(BATCH).toArray();
    const young = found.findIndex(({ at }) => at >= before);
    const old = young === -1 ? found : found.slice(0, young);
    const last = old.at(-1);
    if (last === undefined) return;
    const networks = new Map(old.map((one) => [one.network_id, one]));
    const marks = [[ALL, last] as const, ...networks].map(([network_id, { n, at }]) => ({
      updateOne: {
        filter: { _id: `${organization_id}:${network_id ?? "-"}`, organization_id },
        update: { $max: { n, at }, $setOnInsert: { network_id } },
        upsert: true,
      },
    }));
    await gone.bulkWrite(marks);
    if (young !== -1 || old.length < BATCH) return;
    from = last.n;
  }
}

async function deleteGone(
  { journal, gone }: JournalCollections,
  organization_id: string,
  signal: AbortSignal,
): Promise<void> {
  const mark = { _id: `${organization_id}:${ALL}`, organization_id };
  const { n: end = 0, swept = 0 } = (await gone.findOne(mark)) ?? {};
  for (let from = swept; from < end && !signal.aborted;) {
    const range = {
      organization_id,
      _id: { $gt: placeOf(organization_id, from), $lte: placeOf(organization_id, end) },
    };
    const options = { hint: BY_ID, projection: { n: 1, entity_id: 1, action: 1 } };
    const found = await journal.find(range, options).sort({ _id: 1 }).limit(BATCH).toArray();
    const lastOne = found.at(-1);
    if (lastOne === undefined) break;
    const stages = [
      { $match: { organization_id, entity_id: { $in: [...new Set(found.map(({ entity_id }) => entity_id))] } } },
      { $sort: LAST_ENTRIES_FIRST },
      { $group: { _id: "$entity_id", n: { $first: "$n" } } },
    ];
    const lasts = await journal.aggregate<{ _id: string; n: number }>(stages, { hint: JOURNAL_OF_ENTITY }).toArray();
    const lastOf = new Map(lasts.map(({ _id, n }) => [_id, n]));
    const isKept = ({ entity_id, n, action }: (typeof found)[number]): boolean =>
      lastOf.get(entity_id) === n && action !== "deleted";
    const deleting = found.map((entry) => ({
      // The formerly last entry is superseded by now.
      deleteMany: {
        filter: {
          organization_id,
          entity_id: entry.entity_id,
          n: isKept(entry) ? { $lt: entry.n } : { $lte: entry.n },
        },
        hint: JOURNAL_OF_ENTITY,
      },
    }));
    await journal.bulkWrite(deleting, { ordered: false });
    from = lastOne.n;
    await gone.updateOne(mark, { $set: { swept: from } });
    // Pauses for as long as it worked.
    await delay(20, null, { signal }).catch(() => null);
  }
}
