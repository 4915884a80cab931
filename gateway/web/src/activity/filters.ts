import { type Change, CHANGE_ACTIONS, KIND_NAMES, type listChanges, type QueryInputOf } from "@nts/shared/contract";
import { fieldOf, type ListState } from "../list/list-state.js";

export type ChangeFilter = Pick<
  QueryInputOf<typeof listChanges>,
  "network_id" | "entity" | "action" | "user_id" | "request_id" | "since" | "until"
>;

/** Query parameters of the page. */
export const FILTERS = ["kind", "action", "who", "since", "until", "request"] as const;
export type Filter = (typeof FILTERS)[number];

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

type Values = Pick<ListState, "valuesOf">;

export function valueOf(state: Values, name: Filter): string | null {
  return state.valuesOf(name)[0] ?? null;
}

/** The user id in an author filter, if any. */
export function userIn(state: Values): string | undefined {
  const who = valueOf(state, "who");
  return who !== null && UUID.test(who) ? who : undefined;
}

/** The query for the API; invalid parameters are ignored. */
export function filterOf(state: Values, networkId: string | null): ChangeFilter {
  return {
    network_id: networkId ?? undefined,
    entity: fieldOf(KIND_NAMES, valueOf(state, "kind")),
    action: fieldOf(CHANGE_ACTIONS, valueOf(state, "action")),
    user_id: userIn(state),
    request_id: valueOf(state, "request")?.slice(0, 128),
    since: beginningOf(valueOf(state, "since"), 0),
    until: beginningOf(valueOf(state, "until"), 1),
  };
}

/** True if the API would return an entry for the filter. */
export function passes(change: Change, filter: ChangeFilter): boolean {
  const { since, until, user_id: userId, network_id, entity, action, request_id } = filter;
  if (userId !== undefined && change.actor?.user_id !== userId) return false;
  if (since !== undefined && change.at < since) return false;
  if (until !== undefined && change.at >= until) return false;
  const asked = { network_id, entity, action, request_id };
  return (Object.keys(asked) as (keyof typeof asked)[]).every(
    (name) => asked[name] === undefined || asked[name] === change[name],
  );
}

/** The local start of a day such as `2026-11-22`, or of a later one. */
export function beginningOf(day: string | null, later: number): string | undefined {
  const [year = NaN, month = NaN, date = NaN] = (day ?? "").split("-").map(Number);
  const moment = new Date(year, month - 1, date + later);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}
