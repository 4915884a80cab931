import { useState } from "react";
import type { Column } from "./data-table.js";

/** What a person has chosen; null for the usual columns. */
type Chosen = ReadonlySet<string> | null;

export interface ChosenColumns<Row> {
  /** In their order. */
  readonly shown: readonly Column<Row>[];
  readonly all: readonly Column<Row>[];
  readonly isUsual: boolean;
  readonly isShown: (id: string) => boolean;
  readonly show: (id: string, isShown: boolean) => void;
  readonly reset: () => void;
}

const storageKey = (list: string): string => `nts-columns-${list}`;

/** The columns of a list, which the browser remembers. @param list its name */
export function useChosenColumns<Row>(list: string, all: readonly Column<Row>[]): ChosenColumns<Row> {
  const [chosen, setChosen] = useState<Chosen>(() => chosenIn(localStorage.getItem(storageKey(list))));
  const shown = shownColumns(all, chosen);
  return {
    shown,
    all,
    isUsual: chosen === null,
    isShown: (id) => shown.some((column) => column.id === id),
    show: (id, isShown) => {
      const next = new Set(shown.map((column) => column.id));
      if (isShown) next.add(id);
      else next.delete(id);
      localStorage.setItem(storageKey(list), JSON.stringify([...next]));
      setChosen(next);
    },
    reset: () => {
      localStorage.removeItem(storageKey(list));
      setChosen(null);
    },
  };
}

/** What was stored; null for nothing, and for what is no list of ids. */
export function chosenIn(stored: string | null): Chosen {
  if (stored === null) return null;
  try {
    const ids: unknown = JSON.parse(stored);
    return Array.isArray(ids) ? new Set(ids.filter((id) => typeof id === "string")) : null;
  } catch {
    return null;
  }
}

/** The first column names the row, and is always shown; chosen columns are shown at every width. */
export function shownColumns<Row>(all: readonly Column<Row>[], chosen: Chosen): readonly Column<Row>[] {
  if (chosen === null) return all.filter(({ onRequest }) => onRequest !== true);
  return all.filter(({ id }, index) => index === 0 || chosen.has(id)).map((column) => ({ ...column, optional: false }));
}
