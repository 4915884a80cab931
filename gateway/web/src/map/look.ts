import type { Scheme } from "./colours.js";
import type { Icons } from "./icons.js";
import type { Layout } from "./layout.js";
import type { Model } from "./model.js";
import type { Mark } from "./past.js";

/** What is drawn, and how. */
export interface Look {
  readonly model: Model;
  readonly layout: Layout;
  readonly icons: Icons;
  readonly scheme: Scheme;
  /** Ids of nodes that pass the filters. */
  readonly shown: ReadonlySet<string>;
  /** Ids of nodes that stand out, all others are pale; null if none does. */
  readonly lifted: ReadonlySet<string> | null;
  readonly selected: string | null;
  /** Changes since the selected time; null for the present. */
  readonly marks: ReadonlyMap<string, Mark> | null;
}
