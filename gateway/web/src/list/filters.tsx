import { CloseButton, MultiSelect, Select, TextInput } from "@mantine/core";
import { ATTRIBUTE_KEY } from "@nts/shared/contract/attributes.rules";
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
  const { text, change } = useTyped(state.text, (q) => state.change({ q }));
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

const ATTRIBUTE = new RegExp(`^${ATTRIBUTE_KEY}(?::.*)?$`, "s");

/** The attribute by which a list is filtered, unless it is not complete yet. */
export function attributesOf(state: Pick<ListState, "valuesOf">): string[] {
  return state.valuesOf("attribute").filter((one) => ATTRIBUTE.test(one));
}

/** A filter by a text, which is sent when typing pauses. */
export function TextFilter({ state, name, label }: Omit<FilterProps, "data">): ReactNode {
  const { text, change } = useTyped(state.valuesOf(name)[0] ?? "", (value) => state.change({ [name]: value }));
  return (
    <TextInput
      className={classes.filter ?? ""}
      aria-label={label}
      placeholder={label}
      spellCheck={false}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      rightSection={
        text === "" ? null : <CloseButton size="sm" aria-label={`Clear: ${label}`} onClick={() => change("")} />
      }
    />
  );
}

/** The text of a field that filters, and what to do when it is changed. @param sent as the URL has it */
function useTyped(
  sent: string,
  send: (text: string) => void,
): { readonly text: string; readonly change: (text: string) => void } {
  const [text, setText] = useState(sent);
  const [known, setKnown] = useState(sent);
  // the URL was changed elsewhere: by "back", or a cleared filter
  if (known !== sent) {
    setKnown(sent);
    if (sent !== text.trim()) setText(sent);
  }
  const later = useDebouncedCallback((value: string) => send(value.trim()), TYPING_MS);
  return {
    text,
    change: (value) => {
      setText(value);
      later(value);
    },
  };
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

/** One of these choices, or none. */
export function OneFilter({ state, name, label, data }: FilterProps): ReactNode {
  return (
    <Select
      className={classes.filter ?? ""}
      aria-label={label}
      placeholder={label}
      clearable
      searchable
      data={[...data]}
      value={state.valuesOf(name)[0] ?? null}
      onChange={(chosen) => state.change({ [name]: chosen })}
      clearButtonProps={{ "aria-label": `Clear: ${label}` }}
    />
  );
}

/** One of these choices, always. */
export function ChoiceFilter({ state, name, label, data, usual }: FilterProps & { readonly usual: string }): ReactNode {
  return (
    <Select
      className={classes.choice ?? ""}
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
