import { Category } from "@nts/shared/contract";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { presentSearch, withChanges } from "../list/list-state.js";
import { type View, VIEWS } from "./boxes.js";
import type { Filters } from "./filters.js";

// What people have chosen on the map, kept in the URL so that it can be linked to.

export interface MapState {
  readonly view: View;
  readonly search: string;
  readonly filters: Filters;
  readonly selected: string | null;
  /** The id of the saved view that is shown. */
  readonly saved: string | null;
  /** Whether the URL says what is shown, apart from the saved view. */
  readonly isChosen: boolean;
  /** Shows something else, with or without a saved view. */
  readonly show: (settings: MapSettings, saved: string | null) => void;
  readonly setView: (view: View) => void;
  readonly setSearch: (search: string) => void;
  readonly setFilters: (filters: Filters) => void;
  readonly select: (id: string | null) => void;
}

/** What a saved view has of it. */
export type MapSettings = Pick<MapState, "view" | "search" | "filters">;

const OF_SETTINGS = ["view", "q", "tag", "category", "subnet", "vlan", "hidden"] as const;

export function useMapState(): MapState {
  const [parameters, setParameters] = useSearchParams();
  const change = (changes: Parameters<typeof withChanges>[1]): void =>
    setParameters(withChanges(presentSearch(), changes), { replace: true });
  const filters = useMemo(() => filtersIn(parameters), [parameters]);
  return {
    view: VIEWS.find((view) => view === parameters.get("view")) ?? "subnets",
    search: parameters.get("q") ?? "",
    filters,
    selected: parameters.get("selected"),
    saved: parameters.get("saved"),
    isChosen: OF_SETTINGS.some((name) => parameters.has(name)),
    show: ({ view, search, filters: chosen }, saved) =>
      change({ ...ofView(view), q: search, ...ofFilters(chosen), saved, selected: null }),
    setView: (view) => change(ofView(view)),
    setSearch: (q) => change({ q }),
    setFilters: (chosen) => change(ofFilters(chosen)),
    select: (id) => change({ selected: id }),
  };
}

const ofView = (view: View) => ({ view: view === "subnets" ? null : view });

const ofFilters = ({ tags, categories, subnets, vlans, withHidden }: Filters) => ({
  ...{ tag: tags, category: categories, subnet: subnets, vlan: vlans },
  hidden: withHidden ? "yes" : null,
});

function filtersIn(parameters: URLSearchParams): Filters {
  return {
    tags: parameters.getAll("tag"),
    categories: parameters.getAll("category").flatMap((text) => Category.safeParse(text).data ?? []),
    subnets: parameters.getAll("subnet"),
    vlans: parameters.getAll("vlan"),
    withHidden: parameters.get("hidden") === "yes",
  };
}
