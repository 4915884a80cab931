import type { View as SavedView, ViewLayer } from "@nts/shared/contract";
import { type Arrangement, isSame } from "./arrangement.js";
import { type View, VIEWS } from "./boxes.js";
import type { MapSettings } from "./use-map-state.js";

// Saved views in the words of the API, and what the map shows of them.

export type { SavedView };

const LAYERS: Readonly<Record<View, ViewLayer>> = {
  subnets: "l3",
  hosts: "workloads",
  services: "services",
  tags: "tags",
  links: "l2",
};

/** What is shown, with what people have changed in its layout. */
export interface Picture extends MapSettings {
  readonly arrangement: Arrangement;
}

type Content = Pick<SavedView, "layer" | "filters" | "collapsed" | "positions">;

export function pictureOf({ layer, filters, collapsed, positions }: Content): Picture {
  return {
    view: VIEWS.find((view) => LAYERS[view] === layer) ?? "subnets",
    search: filters.search,
    filters: {
      tags: filters.tags,
      categories: filters.categories,
      subnets: filters.subnets,
      vlans: filters.vlans,
      withHidden: filters.with_hidden,
    },
    arrangement: { positions, collapsed: new Set(collapsed) },
  };
}

export function contentOf({ view, search, filters, arrangement }: Picture): Content {
  const { tags, categories, subnets, vlans, withHidden } = filters;
  return {
    layer: LAYERS[view],
    filters: {
      search: search.trim(),
      tags: [...tags],
      categories: [...categories],
      subnets: [...subnets],
      vlans: [...vlans],
      with_hidden: withHidden,
    },
    collapsed: [...arrangement.collapsed],
    positions: { ...arrangement.positions },
  };
}

export function isSamePicture(a: Picture, b: Picture): boolean {
  const textOf = (picture: Picture): string => {
    const { layer, filters } = contentOf(picture);
    return JSON.stringify([layer, filters]);
  };
  return textOf(a) === textOf(b) && isSame(a.arrangement, b.arrangement);
}
