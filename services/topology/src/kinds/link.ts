import { Link, LinkCreate, LinkUpdate } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import { endsKey } from "../values/link-ends.rules.js";
import { MADE, SOURCE } from "./archived.js";
import { kind } from "./kind.js";

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
