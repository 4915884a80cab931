import { CloseButton, Select, TextInput } from "@mantine/core";
import { type Change, KIND_NAMES, listUsers } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useRows } from "../api/queries.js";
import type { ListState } from "../list/list-state.js";
import { Toolbar } from "../list/toolbar.js";
import { CHANGE_ACTION_CHOICES } from "../parts/texts.js";
import { useHasLevel, useSession } from "../session/session.js";
import classes from "./activity.module.css";
import { type Filter, valueOf } from "./filters.js";

interface ActivityFiltersProps {
  readonly state: ListState;
  readonly entries: readonly Change[];
}

/** Filters by kind, action, user, days and request. */
export function ActivityFilters({ state, entries }: ActivityFiltersProps): ReactNode {
  const authors = useAuthors(entries);
  const request = valueOf(state, "request");
  return (
    <Toolbar state={state}>
      <OneFilter state={state} name="kind" label="Kind" data={KIND_NAMES} />
      <OneFilter state={state} name="action" label="Action" data={CHANGE_ACTION_CHOICES} />
      <OneFilter state={state} name="who" label="User" data={authors} />
      <DayFilter state={state} name="since" label="From" />
      <DayFilter state={state} name="until" label="To" />
      {request !== null && (
        <span className={classes.chip}>
          Request <span className="mono">{request}</span>
          <CloseButton size="sm" aria-label="Clear request" onClick={() => state.change({ request: null })} />
        </span>
      )}
    </Toolbar>
  );
}

interface OneFilterProps {
  readonly state: ListState;
  readonly name: Filter;
  readonly label: string;
}

export function OneFilter({
  state,
  name,
  label,
  data,
}: OneFilterProps & {
  readonly data: readonly (string | { readonly value: string; readonly label: string })[];
}): ReactNode {
  return (
    <Select
      className={classes.filter ?? ""}
      label={label}
      placeholder="Any"
      clearable
      searchable={data.length > 10}
      data={[...data]}
      value={valueOf(state, name)}
      onChange={(value) => state.change({ [name]: value })}
      clearButtonProps={{ "aria-label": `Clear: ${label}` }}
    />
  );
}

export function DayFilter({ state, name, label }: OneFilterProps): ReactNode {
  return (
    <TextInput
      className={classes.day ?? ""}
      type="date"
      label={label}
      value={valueOf(state, name) ?? ""}
      onChange={({ currentTarget }) => state.change({ [name]: currentTarget.value })}
    />
  );
}

/** All users, if the caller may list them; otherwise the caller and the authors of the entries shown. */
export function useAuthors(entries: readonly Pick<Change, "actor">[]): { value: string; label: string }[] {
  const { user } = useSession();
  const may = useHasLevel("Admin");
  const { data } = useRows(listUsers, { query: { limit: 1000, order_by: "email" } }, { enabled: may });
  const emails = new Map([[user.id, user.email]]);
  for (const { actor } of entries) if (actor !== null) emails.set(actor.user_id, actor.email ?? actor.user_id);
  for (const { id, email } of data?.data ?? []) emails.set(id, email);
  return [...emails].map(([value, label]) => ({ value, label })).sort((a, b) => (a.label < b.label ? -1 : 1));
}
