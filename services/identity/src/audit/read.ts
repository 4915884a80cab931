import { performance } from "node:perf_hooks";
import type { Filter } from "mongodb";
import { firstSince, placeOf, type Range } from "@nts/shared/numbered";
import type { Database } from "../storage/database.js";
import type { AuditDocument } from "../model/audit-entry.rules.js";
import { AUDIT, AUDIT_HEADS, type HeadDocument } from "../storage/audit-trail.js";

// Reads ranges of an organization's entries. Numbers have no gaps, so sparse matches are searched in steps of some
// thousand numbers; what was found in time is returned with a cursor to continue.

/** Numbers searched by one query. */
const WINDOW = 20_000;
const LONGEST_WAIT_MS = 2_000;
/** Bytes of entries after which reading stops. */
const PAGE_BYTES = 1_048_576;

export interface AuditFilter {
  readonly user_id?: string | undefined;
  readonly key_id?: string | undefined;
  readonly action?: string | undefined;
  readonly entity?: string | undefined;
  readonly entity_id?: string | undefined;
  readonly request_id?: string | undefined;
}

export interface AuditQuery {
  readonly filter: AuditFilter;
  readonly range: Range;
  readonly direction: "asc" | "desc";
  readonly limit: number;
}

export interface Page {
  readonly entries: readonly AuditDocument[];
  /** The last number searched; null if none. */
  readonly reached: number | null;
  /** The range is exhausted. */
  readonly isEnd: boolean;
}

export interface AuditReader {
  /** All retained numbers; `last` is `first` - 1 if there are none. */
  kept(organizationId: string): Promise<Range>;
  /** The first number at or after a time; the last plus one if there is none. */
  firstSince(organizationId: string, time: Date, range: Range): Promise<number>;
  page(organizationId: string, query: AuditQuery): Promise<Page>;
}

export function createAuditReader({ db, share }: Database): AuditReader {
  const entries = db.collection<AuditDocument>(AUDIT);
  const heads = db.collection<HeadDocument>(AUDIT_HEADS);

  const within = (organizationId: string, { first, last }: Range): Filter<AuditDocument> => ({
    organization_id: organizationId,
    _id: { $gte: placeOf(organizationId, first), $lte: placeOf(organizationId, last) },
  });

  return {
    kept: (organizationId) =>
      share(organizationId, async () => {
        const last = (await heads.findOne({ _id: organizationId }))?.n ?? 0;
        const all = entries.find(within(organizationId, { first: 1, last }), { projection: { n: 1 } });
        const [oldest] = await all.sort({ _id: 1 }).limit(1).toArray();
        return { first: oldest?.n ?? last + 1, last };
      }),

    firstSince: (organizationId, time, range) =>
      firstSince(range, time, async (numbers) => {
        const ids = numbers.map((n) => placeOf(organizationId, n));
        const places = { organization_id: organizationId, _id: { $in: ids } };
        const found = await share(organizationId, () =>
          entries.find(places, { projection: { n: 1, at: 1 } }).toArray(),
        );
        return new Map(found.map(({ n, at }) => [n, at]));
      }),

    page: async (organizationId, { filter, range, direction, limit }) => {
      const until = performance.now() + LONGEST_WAIT_MS;
      const found: AuditDocument[] = [];
      let bytes = 0;
      let reached: number | null = null;
      for (const window of windowsOf(range, direction)) {
        const matching = { ...within(organizationId, window), ...conditionsOf(filter) };
        const rows = entries.find(matching, { batchSize: 100 }).sort({ _id: direction === "asc" ? 1 : -1 });
        const isFull = await share(organizationId, async () => {
          for await (const entry of rows.limit(limit - found.length)) {
            found.push(entry);
            reached = entry.n;
            bytes += JSON.stringify(entry).length;
            if (found.length === limit || bytes > PAGE_BYTES) return true;
          }
          return false;
        });
        if (isFull) return { entries: found, reached, isEnd: false };
        reached = direction === "asc" ? window.last : window.first;
        if (performance.now() > until) return { entries: found, reached, isEnd: false };
      }
      return { entries: found, reached, isEnd: true };
    },
  };
}

function* windowsOf({ first, last }: Range, direction: AuditQuery["direction"]): Generator<Range> {
  for (let done = 0; done <= last - first; done += WINDOW)
    yield direction === "asc"
      ? { first: first + done, last: Math.min(last, first + done + WINDOW - 1) }
      : { first: Math.max(first, last - done - WINDOW + 1), last: last - done };
}

function conditionsOf({ user_id, key_id, ...same }: AuditFilter): Filter<AuditDocument> {
  const filter = { ...same, "actor.user_id": user_id, "actor.key_id": key_id };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
