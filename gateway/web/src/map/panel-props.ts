import type { Diff, TopologyNode } from "@nts/shared/contract";
import type { KnownTags } from "../tags/tags.js";
import type { Scheme } from "./colours.js";
import type { Model } from "./model.js";
import type { Mark } from "./past.js";

/** The selected node, and what the map shows of it. */
export interface PanelProps {
  readonly model: Model;
  readonly node: TopologyNode;
  readonly scheme: Scheme;
  /** Changes since the selected time; null for the present. */
  readonly marks: ReadonlyMap<string, Mark> | null;
  /** The selected time; null for the later one. */
  readonly at: string | null;
  /** The time with which it is compared; null for the present. */
  readonly to: string | null;
  /** What has changed since. */
  readonly diff: Diff | undefined;
  readonly tags: KnownTags;
  readonly onSelect: (id: string) => void;
  readonly onClose: () => void;
}
