import { z } from "zod";
import { attributeFilter, attributes, AttributesResponse } from "./attributes.js";
import {
  Amount,
  byId,
  Description,
  filters,
  Id,
  IpAddress,
  label,
  listQuery,
  Name,
  QUOTA_ERRORS,
  SearchPart,
  serverFields,
  Source,
  Tags,
} from "./common.js";
import { endpoint } from "./endpoint.js";
import { IPV6_BLOCK_PATTERN } from "./ip-notation.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { patchOf } from "./merge-patch.js";
import { resource } from "./resource.js";
import { planned } from "./writes.js";

/** Addresses that are never assigned as the next free one; both ends are inclusive. */
export const ReservedRange = z
  .object({ from: z.string(), to: z.string(), purpose: z.string() })
  .meta({ id: "ReservedRange" });
export type ReservedRange = z.infer<typeof ReservedRange>;

/** A subnet of a network, as a block of addresses. */
export const Subnet = z
  .object({
    ...serverFields,
    network_id: Id,
    cidr: z.string().meta({ examples: ["10.0.10.0/24"] }),
    name: z.string(),
    description: z.string().nullable(),
    subnet_type: z.string().nullable(),
    vlan_id: Id.nullable(),
    source: Source,
    reserved: z.array(ReservedRange).describe("In ascending order."),
    attributes: AttributesResponse,
    tags: z.array(z.string()),
  })
  .meta({ id: "Subnet" });
export type Subnet = z.infer<typeof Subnet>;

/** IPv4 or IPv6 in CIDR notation with all host bits zero. */
export const Cidr = z
  .union([z.cidrv4(), z.cidrv6().meta({ pattern: IPV6_BLOCK_PATTERN })], {
    error: "must be an IPv4 or IPv6 block in CIDR notation",
  })
  .meta({
    id: "Cidr",
    description:
      "All host bits are zero. A block of IPv4-mapped IPv6 addresses, such as `::ffff:10.0.0.0/104`, becomes IPv4.",
  });

const Reserved = z
  .array(
    z.object({ from: IpAddress, to: IpAddress, purpose: label(0, 100).default("") }).meta({ id: "ReservedRangeInput" }),
  )
  .max(50)
  .describe("Non-overlapping ranges inside the block, excluded from automatic assignment (`next`).");

const optionalFields = {
  description: Description.nullable().optional(),
  subnet_type: label(1, 50).nullable().optional(),
  vlan_id: Id.nullable().optional().describe("The VLAN of the subnet, in the same network."),
  attributes,
};

export const SubnetCreate = z
  .object({
    network_id: Id,
    cidr: Cidr,
    name: Name,
    ...optionalFields,
    reserved: Reserved.default([]),
    tags: Tags.default([]),
  })
  .meta({ id: "SubnetCreate" });

export const SubnetUpdate = z
  .object({
    network_id: Id,
    cidr: Cidr,
    name: Name,
    ...optionalFields,
    reserved: Reserved.optional(),
    tags: Tags.optional(),
  })
  .meta({ id: "SubnetUpdate" });
export type SubnetUpdate = z.infer<typeof SubnetUpdate>;

const subnets = resource("Subnet", { write: "Member" });
const { common } = subnets;

export const listSubnets = endpoint({
  ...common,
  operationId: "list_subnets",
  method: "get",
  path: "/api/v1/subnets",
  permission: "Viewer",
  summary: "List subnets",
  query: listQuery(["created_at", "name", "cidr", "subnet_type", "updated_at", "network_id"], {
    ...filters,
    ...attributeFilter,
    ...asOf,
    vlan_id: Id.optional().describe("Only subnets in this VLAN."),
    q: SearchPart.describe("Case-insensitive search in name and cidr."),
  }),
  response: Subnet,
  list: true,
  errors: AS_OF_ERRORS,
});

export const createSubnet = endpoint({
  ...common,
  ...planned,
  operationId: "create_subnet",
  method: "post",
  path: "/api/v1/subnets",
  permission: "Member",
  summary: "Create a subnet",
  body: SubnetCreate,
  response: Subnet,
  errors: [...QUOTA_ERRORS, "invalid_reference", "network_mismatch", "write_conflict"],
});

export const getSubnet = subnets.getOne(Subnet);

export const Utilization = z
  .object({
    size: Amount.describe("Assignable addresses, excluding the network and broadcast addresses."),
    used: Amount.describe("Addresses assigned to interfaces."),
    reserved: Amount.describe("Reserved addresses that are not used."),
    free: Amount,
    next: z.string().nullable().describe("The address that `next` would assign now; null if none is free."),
  })
  .meta({ id: "Utilization", description: "Counts are exact integers, even above 2^53." });
export type Utilization = z.infer<typeof Utilization>;

export const getSubnetUtilization = endpoint({
  ...common,
  operationId: "get_subnet_utilization",
  method: "get",
  path: "/api/v1/subnets/{id}/utilization",
  permission: "Viewer",
  summary: "Get the number of used, reserved and free addresses of a subnet, and the next free one",
  params: byId,
  response: Utilization,
  errors: ["not_found"],
});

export const updateSubnet = endpoint({
  ...common,
  ...planned,
  operationId: "update_subnet",
  method: "put",
  path: "/api/v1/subnets/{id}",
  permission: "Member",
  summary: "Update a subnet",
  description: "A new `cidr` must contain all addresses of interfaces in the subnet.",
  params: byId,
  body: SubnetUpdate,
  response: Subnet,
  errors: [
    "not_found",
    "network_mismatch",
    "invalid_reference",
    "ip_outside_subnet",
    "precondition_failed",
    "write_conflict",
  ],
});

export const patchSubnet = patchOf(updateSubnet);

export const deleteSubnet = subnets.deleteOne("Delete a subnet that no interface uses", "in_use");

export const bulkDeleteSubnets = subnets.bulkDelete("in_use");
