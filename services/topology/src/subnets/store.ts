import type { Db } from "mongodb";
import { Subnet } from "@nts/shared/contract";
import { parseBlock } from "../addresses.js";
import { createEntities, type Entities } from "../storage/entities.js";

export type SubnetStore = Entities<Subnet>;

export function createSubnetStore(db: Db): SubnetStore {
  return createEntities<Subnet>(db, {
    collection: "subnets",
    name: "Subnet",
    networkOf: ({ network_id }) => network_id,
    keysOf: ({ name, cidr, subnet_type, tags }) => ({
      name,
      cidr_key: parseBlock(cidr, "cidr").key,
      subnet_type,
      tags,
    }),
    clean: (entity) => Subnet.parse(entity),
  });
}
