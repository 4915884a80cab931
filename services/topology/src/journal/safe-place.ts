import type { Document } from "mongodb";
import { transactionOf } from "./events.js";
import type { ChangeEvent } from "./stream.js";

/** Maximum remembered positions; then every second one is forgotten. */
const MOST_PLACES = 1_000;

/** Where a journal can resume after an interruption. */
export interface SafePlace {
  /**
   * The position after which something may be unrecorded.
   *
   * @param take the first one of which events wait; null if none does
   */
  safe(take: number | null): Document;
  /** Passes the events of the next take. */
  pass(events: readonly ChangeEvent[], token: Document): void;
}

/** Positions between transactions, so that deletions are not separated from their note. */
export function createSafePlace(start: Document): SafePlace {
  let safe = start;
  let previous = start;
  let transaction = "";
  let takes = 0;
  /** Safe positions before takes. */
  let before: { readonly take: number; readonly token: Document }[] = [];
  return {
    safe: (take) => {
      const last = take === null ? -1 : before.findLastIndex((one) => one.take <= take);
      before = last === -1 ? [] : before.slice(last);
      return before[0]?.token ?? safe;
    },
    pass: (events, token) => {
      takes += 1;
      if (before.length === MOST_PLACES) before = before.filter((_one, n) => n % 2 === 0);
      before.push({ take: takes, token: safe });
      for (const event of events) {
        const next = transactionOf(event);
        if (next !== transaction) safe = previous;
        if (next === "") safe = event._id;
        [previous, transaction] = [event._id, next];
      }
      if (events.length === 0) [safe, previous, transaction] = [token, token, ""];
    },
  };
}
