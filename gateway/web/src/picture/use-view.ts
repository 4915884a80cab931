import { useSearchParams } from "react-router";
import { withChanges } from "../list/list-state.js";

/** As a map, or as cards of subnets. */
export type View = "map" | "cards";

/** How the picture is shown; it stands in the address. */
export function useView(): [view: View, change: (view: View) => void] {
  const [search, setSearch] = useSearchParams();
  const change = (view: View): void =>
    setSearch((before) => withChanges(before, { layout: view === "cards" ? "subnets" : null }), { replace: true });
  return [search.get("layout") === "subnets" ? "cards" : "map", change];
}
