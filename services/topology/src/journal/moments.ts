import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "../storage/database.js";
import { goneBehind } from "./cursors.js";
import { type Ends, entriesIn, type JournalReader } from "./read.js";

// A moment is a journal position: the number of the last entry at that time. The state is known while every later entry
// is retained, as each has the state before it.

/** Resolves moments to positions. */
export interface Moments {
  /**
   * The number of the last entry at that moment.
   *
   * @param moment a time, or a cursor
   * @throws AppError `cursor_invalid` · `changes_gone` if it is no longer, or not exactly, known
   */
  place(scope: Scope, moment: string, ends: Ends): Promise<number>;
}

/** Whether a moment is a time: a cursor has no colon. */
export function isTime(moment: string): boolean {
  return moment.includes(":");
}

export function createMoments(database: Database, reader: JournalReader): Moments {
  async function placeOfTime(scope: Scope, time: Date, { last, gone, goneForCaller, goneAt }: Ends): Promise<number> {
    if (goneForCaller > 0 && (goneAt === null || time < goneAt)) return -1;
    const next = await reader.firstSince(scope, new Date(time.getTime() + 1), { first: gone + 1, last });
    return next - 1;
  }

  /** The caller's next entry. */
  async function after(scope: Scope, n: number, { last }: Ends) {
    const query = { filter: {}, range: { first: n + 1, last }, direction: "asc", limit: 1 } as const;
    const projection = { n: 1, at: 1, reconciled: 1 };
    for await (const [found] of entriesIn(database, scope, { ...query, projection })) return found ?? null;
    return null;
  }

  return {
    place: async (scope, moment, ends) => {
      const cursors = await reader.cursors();
      const { organizationId } = scope;
      if (!isTime(moment)) {
        const n = cursors.read(organizationId, moment);
        if (n < ends.goneForCaller) throw goneBehind(cursors, organizationId, ends.goneForCaller);
        return Math.min(n, ends.last);
      }
      const time = new Date(moment);
      const n = await placeOfTime(scope, time, ends);
      if (n < 0) throw goneBehind(cursors, organizationId, ends.goneForCaller);
      const next = await after(scope, n, ends);
      // Reconciled changes happened at an unknown time before they were found, possibly before this one.
      if (next?.reconciled !== true) return n;
      const found = new Date(next.at.getTime() + 1);
      throw goneBehind(
        cursors,
        organizationId,
        (await reader.firstSince(scope, found, { first: n + 1, last: ends.last })) - 1,
      );
    },
  };
}
