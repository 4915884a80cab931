import type { Topology } from "@nts/shared/contract";
import { useMemo } from "react";
import { boxesOf, type Names, type View } from "./boxes.js";
import { type Layout, layoutOf } from "./layout.js";
import { modelOf } from "./model.js";

/** The layout of a view, which does not depend on filters. */
export function useLayout(view: View, whole: Topology, names: Names): Layout {
  const model = useMemo(() => modelOf(whole), [whole]);
  return useMemo(() => layoutOf(boxesOf(view, model, names)), [view, model, names]);
}
