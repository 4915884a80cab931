import { CloseButton, MultiSelect, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ListState } from "./list-state.js";
import classes from "./list-view.module.css";

const TYPING_MS = 250;

/** A debounced search field. */
export function SearchFilter({
  state,
  placeholder,
}: {
  readonly state: ListState;
  readonly placeholder: string;
}): ReactNode {
  const [text, setText] = useState(state.text);
  const [known, setKnown] = useState(state.text);
  // the URL was changed elsewhere: by "back", or a cleared filter
  if (known !== state.text) {
    setKnown(state.text);
    if (state.text !== text.trim()) setText(state.text);
  }
  const search = useDebouncedCallback((q: string) => state.change({ q: q.trim() }), TYPING_MS);
  const change = (value: string): void => {
    setText(value);
    search(value);
  };
  return (
    <TextInput
      className={classes.search ?? ""}
      type="search"
      aria-label={placeholder}
      placeholder={placeholder}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      leftSection={<Search size={16} aria-hidden />}
      rightSection={text === "" ? null : <CloseButton size="sm" aria-label="Clear search" onClick={() => change("")} />}
    />
  );
}

interface FilterProps {
  readonly state: ListState;
  /** The query parameter. */
  readonly name: string;
  readonly label: string;
  readonly data: readonly { readonly value: string; readonly label: string }[];
}

/** A multi-select filter. */
export function ManyFilter({ state, name, label, data }: FilterProps): ReactNode {
  const values = state.valuesOf(name);
  return (
    <MultiSelect
      className={classes.filter ?? ""}
      aria-label={label}
      placeholder={values.length === 0 ? label : ""}
      searchable
      clearable
      data={[...data]}
      value={values}
      onChange={(chosen) => state.change({ [name]: chosen })}
      clearButtonProps={{ "aria-label": `Clear: ${label}` }}
    />
  );
}

/** One of these choices, always. */
export function ChoiceFilter({ state, name, label, data, usual }: FilterProps & { readonly usual: string }): ReactNode {
  return (
    <Select
      className={classes.filter ?? ""}
      aria-label={label}
      allowDeselect={false}
      data={[...data]}
      value={state.valuesOf(name)[0] ?? usual}
      onChange={(chosen) => state.change({ [name]: chosen })}
    />
  );
}

/** The field to group by. */
export function GroupFilter({ state, data }: Pick<FilterProps, "state" | "data">): ReactNode {
  return (
    <Select
      className={classes.filter ?? ""}
      aria-label="Group by"
      placeholder="Group by"
      clearable
      data={[...data]}
      value={state.groupBy}
      onChange={(group) => state.change({ group })}
      clearButtonProps={{ "aria-label": "Clear grouping" }}
    />
  );
}
