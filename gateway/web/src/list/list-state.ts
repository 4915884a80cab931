import { useSearchParams } from "react-router";

// The state of a list, kept in the URL so that it can be linked to and "back" works.

export const PAGE_SIZES = [25, 50, 100, 250] as const;
const STANDARD_SIZE = 50;

type Changes = Readonly<Record<string, string | readonly string[] | null>>;

export interface ListState {
  /** From 1. */
  readonly page: number;
  readonly size: number;
  readonly text: string;
  readonly orderBy: string | null;
  readonly direction: "asc" | "desc";
  readonly groupBy: string | null;
  readonly valuesOf: (name: string) => string[];
  /** True if anything is searched or filtered for. */
  readonly isFiltered: boolean;
  /** The number of filters besides the search. */
  readonly filterCount: number;
  /** Removes search and filters. */
  readonly clear: () => void;
  /** Changes query parameters; unless the page itself is changed, returns to the first one. */
  readonly change: (changes: Changes) => void;
  /** Parameters common to all lists. */
  readonly query: ListQuery;
}

export interface ListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly order_direction?: "asc" | "desc";
}

/** `account`: whose list it is. */
const NO_FILTERS = new Set(["page", "size", "order", "direction", "group", "account"]);

export function useListState(): ListState {
  const [search, setSearch] = useSearchParams();
  const page = Math.max(1, Math.trunc(Number(search.get("page") ?? 1)) || 1);
  const asked = Number(search.get("size"));
  const size = PAGE_SIZES.find((one) => one === asked) ?? STANDARD_SIZE;
  const orderBy = search.get("order");
  const direction = search.get("direction") === "desc" ? "desc" : "asc";
  return {
    page,
    size,
    text: search.get("q") ?? "",
    orderBy,
    direction,
    groupBy: search.get("group"),
    valuesOf: (name) => search.getAll(name),
    isFiltered: filtersIn(search).length > 0,
    filterCount: filtersIn(search).filter((name) => name !== "q").length,
    clear: () => {
      const before = presentSearch();
      setSearch(withChanges(before, Object.fromEntries(filtersIn(before).map((name) => [name, null]))), {
        replace: true,
      });
    },
    change: (changes) => {
      setSearch(withChanges(presentSearch(), changes), { replace: true });
    },
    query: { limit: size, offset: (page - 1) * size, ...(orderBy !== null && { order_direction: direction }) },
  };
}

/**
 * The parameters of the address itself: those of the last rendering lack what was chosen since, as rendering a large map or
 * list takes a while.
 */
export function presentSearch(): URLSearchParams {
  return new URLSearchParams(window.location.search);
}

/** The names of search and filters in the address of a list. */
export function filtersIn(search: URLSearchParams): string[] {
  return [...new Set(search.keys())].filter((name) => !NO_FILTERS.has(name));
}

export function withChanges(before: URLSearchParams, changes: Changes): URLSearchParams {
  const after = new URLSearchParams(before);
  if (!("page" in changes)) after.delete("page");
  for (const [name, value] of Object.entries(changes)) {
    after.delete(name);
    for (const one of typeof value === "string" ? [value] : (value ?? [])) if (one !== "") after.append(name, one);
  }
  return after;
}

/** A valid order field, or undefined. */
export function fieldOf<const Field extends string>(fields: readonly Field[], asked: string | null): Field | undefined {
  return fields.find((field) => field === asked);
}
