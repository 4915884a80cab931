import type { ArchivedForms } from "./forms.js";
import type { Naming } from "./plan.js";

// Views refer to entities by their ids, alone or within the names of groups, such as `none:{id of a network}`.

const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

type Archived = ArchivedForms["View"];

/** The members that refer to entities. */
type Referring = Pick<Archived, "collapsed" | "filters" | "positions">;

/** The ids that views refer to. */
export function idsInViews(views: readonly Referring[]): string[] {
  const texts = views.flatMap(({ collapsed, filters, positions }) => [
    ...collapsed,
    ...filters.tags,
    ...filters.subnets,
    ...filters.vlans,
    ...Object.keys(positions),
  ]);
  return [...new Set(texts.flatMap((text) => text.match(IDS) ?? []))];
}

/** These members with local ids. */
export function localView({ collapsed, filters, positions }: Archived, { runner }: Naming): Referring {
  const local = (text: string): string => text.replaceAll(IDS, runner);
  return {
    collapsed: collapsed.map(local),
    filters: {
      ...filters,
      tags: filters.tags.map(local),
      subnets: filters.subnets.map(local),
      vlans: filters.vlans.map(local),
    },
    positions: Object.fromEntries(Object.entries(positions).map(([place, at]) => [local(place), at])),
  };
}
