import { Vlan, VlanCreate, VlanUpdate } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import { facetsOf } from "../values/facets.rules.js";
import { searchTextOf } from "../values/search.rules.js";
import { MADE } from "./archived.js";
import { kind } from "./kind.js";

export const vlanKind = kind("Vlan", {
  schema: Vlan,
  create: VlanCreate,
  update: VlanUpdate,
  placed: ["network_id"],
  defaults: { attributes: {} },
  archived: VlanCreate.extend(MADE),
  keysOf: ({ vid, name, attributes, tags }) => ({
    vid,
    name,
    facets: facetsOf({ attributes }),
    tags: tags.map(composed),
    search: searchTextOf(name, String(vid)),
  }),
});
