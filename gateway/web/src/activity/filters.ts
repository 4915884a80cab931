import {
  type Change,
  CHANGE_ACTIONS,
  CHANGED_ENTITIES,
  type listChanges,
  type QueryInputOf,
} from "@nts/shared/contract";
import { fieldOf, type ListState } from "../list/list-state.js";

/** What entries are chosen by. */
export type ChangeFilter = Pick<
  QueryInputOf<typeof listChanges>,
  "network_id" | "entity" | "action" | "user_id" | "request_id" | "since" | "until"
>;

/** The parameters of the page's address. */
export const FILTERS = ["kind", "action", "who", "since", "until", "request"] as const;
export type Filter = (typeof FILTERS)[number];

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

type Values = Pick<ListState, "valuesOf">;

/** What one of them says. */
export function valueOf(state: Values, name: Filter): string | null {
  return state.valuesOf(name)[0] ?? null;
}

/** The user that it says, if it is one. */
export function userIn(state: Values): string | undefined {
  const who = valueOf(state, "who");
  return who !== null && UUID.test(who) ? who : undefined;
}

/** What the API is asked for; whatever an address may say besides is left out. */
export function filterOf(state: Values, networkId: string | null): ChangeFilter {
  return {
    network_id: networkId ?? undefined,
    entity: fieldOf(CHANGED_ENTITIES, valueOf(state, "kind")),
    action: fieldOf(CHANGE_ACTIONS, valueOf(state, "action")),
    user_id: userIn(state),
    request_id: valueOf(state, "request")?.slice(0, 128),
    since: beginningOf(valueOf(state, "since"), 0),
    until: beginningOf(valueOf(state, "until"), 1),
  };
}

/** Whether the API would answer an entry to the filter. */
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

/** When a day such as `2026-11-22` begins here, or one some days later. */
export function beginningOf(day: string | null, later: number): string | undefined {
  const [year = NaN, month = NaN, date = NaN] = (day ?? "").split("-").map(Number);
  const moment = new Date(year, month - 1, date + later);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}
