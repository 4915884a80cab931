import { Category } from "@nts/shared/contract";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { withChanges } from "../list/list-state.js";
import { type View, VIEWS } from "./boxes.js";
import type { Filters } from "./filters.js";

// What people have chosen on the map, kept in the URL so that it can be linked to.

export interface MapState {
  readonly view: View;
  readonly search: string;
  readonly filters: Filters;
  readonly selected: string | null;
  readonly setView: (view: View) => void;
  readonly setSearch: (search: string) => void;
  readonly setFilters: (filters: Filters) => void;
  readonly select: (id: string | null) => void;
}

export function useMapState(): MapState {
  const [parameters, setParameters] = useSearchParams();
  const change = (changes: Parameters<typeof withChanges>[1]): void =>
    setParameters((before) => withChanges(before, changes), { replace: true });
  const filters = useMemo(() => filtersIn(parameters), [parameters]);
  return {
    view: VIEWS.find((view) => view === parameters.get("view")) ?? "subnets",
    search: parameters.get("q") ?? "",
    filters,
    selected: parameters.get("selected"),
    setView: (view) => change({ view: view === "subnets" ? null : view }),
    setSearch: (q) => change({ q }),
    setFilters: ({ tags, categories: chosen, subnets, withHidden }) =>
      change({ tag: tags, category: chosen, subnet: subnets, hidden: withHidden ? "yes" : null }),
    select: (id) => change({ selected: id }),
  };
}

function filtersIn(parameters: URLSearchParams): Filters {
  return {
    tags: parameters.getAll("tag"),
    categories: parameters.getAll("category").flatMap((text) => Category.safeParse(text).data ?? []),
    subnets: parameters.getAll("subnet"),
    withHidden: parameters.get("hidden") === "yes",
  };
}
