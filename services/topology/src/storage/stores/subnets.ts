import { Subnet } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import { parseBlock } from "../../values/addresses.js";
import { searchTextOf } from "../../values/search.rules.js";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind } from "../entities.js";

export type SubnetStore = Entities<Subnet>;

/** The searched values of a subnet. */
export function subnetSearchText({ name, cidr }: Pick<Subnet, "name" | "cidr">): string {
  return searchTextOf(name, cidr);
}

export const SUBNET_KIND: EntityKind<Subnet> = {
  collection: "subnets",
  name: "Subnet",
  tagged: true,
  networkOf: ({ network_id }) => network_id,
  keysOf: ({ name, cidr, subnet_type, tags }) => ({
    name,
    cidr_key: parseBlock(cidr, "cidr").key,
    subnet_type,
    tags: tags.map(composed),
    search: subnetSearchText({ name, cidr }),
  }),
  clean: (entity) => Subnet.parse(entity),
  form: { version: 2, upgrade: (stored) => ({ ...stored, reserved: (stored as Partial<Subnet>).reserved ?? [] }) },
};

export function createSubnetStore(database: Database, kind = SUBNET_KIND): SubnetStore {
  return createEntities<Subnet>(database, kind);
}
