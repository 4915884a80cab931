import { Subnet, SubnetCreate, SubnetUpdate } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import { parseBlock } from "../values/addresses.js";
import { facetsOf } from "../values/facets.rules.js";
import { searchTextOf } from "../values/search.rules.js";
import { formWith } from "./added.rules.js";
import { MADE, SOURCE } from "./archived.js";
import { kind } from "./kind.js";

/** The searched values of a subnet. */
export function subnetSearchText({ name, cidr }: Pick<Subnet, "name" | "cidr">): string {
  return searchTextOf(name, cidr);
}

export const subnetKind = kind("Subnet", {
  schema: Subnet,
  create: SubnetCreate,
  update: SubnetUpdate,
  placed: ["network_id", "cidr", "reserved"],
  defaults: { description: null, subnet_type: null, vlan_id: null, attributes: {} },
  form: formWith(2, Subnet, { vlan_id: null }),
  archived: SubnetCreate.extend({ ...MADE, ...SOURCE, reserved: SubnetUpdate.shape.reserved }),
  keysOf: ({ name, cidr, subnet_type, vlan_id, attributes, tags }) => ({
    name,
    cidr_key: parseBlock(cidr, "cidr").key,
    subnet_type,
    vlan_id,
    facets: facetsOf({ attributes }),
    tags: tags.map(composed),
    search: subnetSearchText({ name, cidr }),
  }),
});
