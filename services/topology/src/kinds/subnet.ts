import { Subnet, SubnetCreate, SubnetUpdate } from "@nts/shared/contract";
import { kind } from "./kind.js";

export const subnetKind = kind({
  schema: Subnet,
  create: SubnetCreate,
  update: SubnetUpdate,
  placed: ["network_id", "cidr", "reserved"],
  defaults: { description: null, subnet_type: null },
});
