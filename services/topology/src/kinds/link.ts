import { Link, LinkCreate, type LinkEnd, LinkUpdate } from "@nts/shared/contract";
import { composed, folded } from "@nts/shared/contract/folding.rules";
import { MADE, SOURCE } from "./archived.js";
import { kind } from "./kind.js";

/** Unique in an organization: the ends in either order. A port is known by its name or, without one, by its interface. */
export function endsKey(ends: readonly LinkEnd[]): string {
  return ends
    .map(
      ({ host_id, interface_id, port }) =>
        `${host_id} ${port === null ? (interface_id ?? "") : `port ${folded(port)}`}`,
    )
    .sort()
    .join("\n");
}

export const linkKind = kind("Link", {
  schema: Link,
  create: LinkCreate,
  update: LinkUpdate,
  placed: ["network_id"],
  defaults: { speed_mbps: null },
  archived: LinkCreate.extend({ ...MADE, ...SOURCE }),
  namedIn: ["wire"],
  keysOf: ({ ends, vlan_ids, tags }) => ({
    ends: endsKey(ends),
    // Lists, in which filters by one id find both ends.
    host_id: ends.map(({ host_id }) => host_id),
    interface_id: ends.flatMap(({ interface_id }) => interface_id ?? []),
    vlan_id: vlan_ids,
    tags: tags.map(composed),
  }),
});
