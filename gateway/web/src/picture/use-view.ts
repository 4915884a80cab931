import { useSearchParams } from "react-router";
import { withChanges } from "../list/list-state.js";

/** Map, or cards per subnet. */
export type View = "map" | "cards";

/** The view, kept in the URL. */
export function useView(): [view: View, change: (view: View) => void] {
  const [search, setSearch] = useSearchParams();
  const change = (view: View): void =>
    setSearch((before) => withChanges(before, { layout: view === "cards" ? "subnets" : null }), { replace: true });
  return [search.get("layout") === "subnets" ? "cards" : "map", change];
}
