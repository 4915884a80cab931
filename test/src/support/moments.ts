/** States of whole organizations from their lists, to compare with reads of the past. */
import { createTag, KIND_NAMES, listChanges, pluralOf } from "@nts/shared/contract";
import type { ApiResponse as ByPath, Caller as CallerByPath } from "./api.js";
import type { Caller } from "./topology.js";
import { until } from "./until.js";
import { withoutSightings } from "./without-sightings.js";

export type Row = Readonly<Record<string, unknown>> & { readonly id: string };

/** The JSON text of every entity, by id; a host without its children. */
export type State = ReadonlyMap<string, string>;

/** A state, and the cursor of its last change. */
export interface Moment {
  readonly cursor: string;
  readonly state: State;
}

const LISTS = KIND_NAMES.map(pluralOf);

/** The present state. */
export async function currentState(caller: Caller): Promise<State> {
  const state = new Map<string, string>();
  for (const list of LISTS) {
    const { data, text, status } = await caller.raw("get", `/api/v1/${list}?limit=0`);
    if (status !== 200) throw new Error(text);
    for (const row of data as Row[]) state.set(row.id, JSON.stringify(withoutSightings(withoutChildren(row, list))));
  }
  return state;
}

function withoutChildren(row: Row, list: string): object {
  if (list !== "hosts") return row;
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !["interfaces", "ports", "services"].includes(name)),
  );
}

/** Waits until all changes so far are recorded. @returns the last cursor */
export async function waitForJournal(owner: Caller, viewer: Caller = owner): Promise<string> {
  const mark = await owner.call(createTag, { body: { name: `mark ${Math.random()}` } });
  let cursor = "";
  await until(async () => {
    const query = { order_direction: "desc", limit: 1, entity_id: mark.id } as const;
    const [found] = await viewer.call(listChanges, { query });
    cursor = found?.cursor ?? "";
    return cursor !== "";
  });
  return cursor;
}

/** The present moment, while nobody else writes. */
export async function currentMoment(owner: Caller, viewer: Caller = owner): Promise<Moment> {
  const cursor = await waitForJournal(owner, viewer);
  return { cursor, state: await currentState(viewer) };
}

/** The caller in the form of histories. @param requestId of each request */
export function byPath(caller: Caller, requestId?: () => string): CallerByPath {
  return {
    send: async (method: string, path: string, body?: unknown) => {
      const headers = requestId === undefined ? {} : { "x-request-id": requestId() };
      const { status, data, code, text } = await caller.raw(method, path, body, headers);
      return { status, body: { data, code }, text } as unknown as ByPath;
    },
  } as CallerByPath;
}
