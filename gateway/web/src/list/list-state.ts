import { useSearchParams } from "react-router";

// What a list shows lives in the address of the page: it can be linked to, and "back" leads back.

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
  /** Values of a filter. */
  readonly valuesOf: (name: string) => string[];
  /** True when something narrows the list. */
  readonly isFiltered: boolean;
  /** Changes parameters of the address; but for a change of the page itself, the list begins anew. */
  readonly change: (changes: Changes) => void;
  /** What every list of the API takes. */
  readonly query: ListQuery;
}

export interface ListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly order_direction?: "asc" | "desc";
}

const NO_FILTERS = new Set(["page", "size", "order", "direction", "group"]);

/** The state of the list on this page. */
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
    isFiltered: [...search.keys()].some((name) => !NO_FILTERS.has(name)),
    change: (changes) => {
      setSearch((before) => withChanges(before, changes), { replace: true });
    },
    query: { limit: size, offset: (page - 1) * size, ...(orderBy !== null && { order_direction: direction }) },
  };
}

/** The parameters after some changes. */
export function withChanges(before: URLSearchParams, changes: Changes): URLSearchParams {
  const after = new URLSearchParams(before);
  if (!("page" in changes)) after.delete("page");
  for (const [name, value] of Object.entries(changes)) {
    after.delete(name);
    for (const one of typeof value === "string" ? [value] : (value ?? [])) if (one !== "") after.append(name, one);
  }
  return after;
}

/** One of the fields that a list can be ordered by, or undefined for anything that an address may say besides. */
export function fieldOf<const Field extends string>(fields: readonly Field[], asked: string | null): Field | undefined {
  return fields.find((field) => field === asked);
}
