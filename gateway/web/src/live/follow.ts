import { type Change, listChanges } from "@nts/shared/contract";
import { api } from "../api/client.js";
import { pause } from "./pause.js";

/** Changes that came together, and the cursor behind them. */
export interface Followed {
  readonly changes: readonly Change[];
  readonly cursor: string;
}

const WAIT_SECONDS = 20;
const MOST = 200;
/** Milliseconds in which changes gather, so that many of them cost few requests. */
const GATHER_MS = 1_000;

/** What comes behind a cursor, as it happens, until the signal. @throws ApiError */
export async function* follow(after: string, signal: AbortSignal): AsyncGenerator<Followed, void, void> {
  for (let cursor = after; ;) {
    const query = { after: cursor, limit: MOST, wait: WAIT_SECONDS };
    const { data, next } = await api.changes(listChanges, { query, signal });
    cursor = next ?? cursor;
    yield { changes: data, cursor };
    if (data.length > 0) await pause(GATHER_MS, signal);
  }
}
