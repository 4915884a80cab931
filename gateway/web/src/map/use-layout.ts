import type { Topology } from "@nts/shared/contract";
import { useMemo } from "react";
import type { Arrangement } from "./arrangement.js";
import { boxesOf, type Names, type View } from "./boxes.js";
import { type Layout, layoutOf } from "./layout.js";
import { modelOf } from "./model.js";

/** The layout of a view, which does not depend on filters. */
export function useLayout(view: View, whole: Topology, names: Names, arrangement: Arrangement): Layout {
  const model = useMemo(() => modelOf(whole), [whole]);
  const boxes = useMemo(() => boxesOf(view, model, names), [view, model, names]);
  return useMemo(() => layoutOf(boxes, arrangement), [boxes, arrangement]);
}
