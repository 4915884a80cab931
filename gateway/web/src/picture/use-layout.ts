import type { Topology } from "@nts/shared/contract";
import { useState } from "react";
import { type Layout, layoutOf } from "./layout.js";
import { modelOf } from "./model.js";

/** The layout, which keeps positions while the graph changes. */
export function useLayout(whole: Topology): Layout {
  const [last, keep] = useState(() => ({ whole, layout: layoutOf(modelOf(whole)) }));
  if (last.whole === whole) return last.layout;
  const layout = layoutOf(modelOf(whole), last.layout);
  keep({ whole, layout });
  return layout;
}
