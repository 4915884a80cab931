import type { LinkKind } from "@nts/shared/contract";
import type { Scheme } from "./colours.js";
import type { Icons } from "./icons.js";
import type { Layout } from "./layout.js";
import type { Model } from "./model.js";
import type { Mark } from "./past.js";

/** A line between two nodes. */
export interface Relation {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** A client that uses a server, or a link that is not part of the tree. */
  readonly kind: "uses" | LinkKind;
  /** What has become of it since the selected time. */
  readonly mark: Mark | null;
}

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
  /** Lines between what is selected and what it has to do with, over the map. */
  readonly relations: readonly Relation[];
  /** Changes since the selected time; null for the present. */
  readonly marks: ReadonlyMap<string, Mark> | null;
}
