import { z } from "zod";
import { attributeFilter, attributes, AttributesResponse } from "./attributes.js";
import { byId, filters, Id, listQuery, Name, QUOTA_ERRORS, SearchPart, serverFields, Tags } from "./common.js";
import { endpoint } from "./endpoint.js";
import { patchOf } from "./merge-patch.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { resource } from "./resource.js";
import { planned } from "./writes.js";

/** The highest number of a VLAN; 0 and 4095 have other meanings. */
export const LAST_VID = 4_094;

/** A virtual LAN of a network, by its number. */
export const Vlan = z
  .object({
    ...serverFields,
    network_id: Id,
    vid: z.int().meta({ examples: [10] }),
    name: z.string(),
    attributes: AttributesResponse,
    tags: z.array(z.string()),
  })
  .meta({ id: "Vlan" });
export type Vlan = z.infer<typeof Vlan>;

const Vid = z.int().min(1).max(LAST_VID).describe("Unique in its network.");

export const VlanCreate = z
  .object({ network_id: Id, vid: Vid, name: Name, attributes, tags: Tags.default([]) })
  .meta({ id: "VlanCreate" });

export const VlanUpdate = z
  .object({ network_id: Id, vid: Vid, name: Name, attributes, tags: Tags.optional() })
  .meta({ id: "VlanUpdate" });

const vlans = resource("Vlan", { write: "Member" });
const { common } = vlans;

export const listVlans = endpoint({
  ...common,
  operationId: "list_vlans",
  method: "get",
  path: "/api/v1/vlans",
  permission: "Viewer",
  summary: "List VLANs",
  query: listQuery(["created_at", "vid", "name", "updated_at"], {
    ...filters,
    ...attributeFilter,
    ...asOf,
    q: SearchPart.describe("Case-insensitive search in name and number."),
  }),
  response: Vlan,
  list: true,
  errors: AS_OF_ERRORS,
});

export const createVlan = endpoint({
  ...common,
  ...planned,
  operationId: "create_vlan",
  method: "post",
  path: "/api/v1/vlans",
  permission: "Member",
  summary: "Create a VLAN",
  body: VlanCreate,
  response: Vlan,
  errors: [...QUOTA_ERRORS, "already_exists", "invalid_reference", "write_conflict"],
});

export const getVlan = vlans.getOne(Vlan);

export const updateVlan = endpoint({
  ...common,
  ...planned,
  operationId: "update_vlan",
  method: "put",
  path: "/api/v1/vlans/{id}",
  permission: "Member",
  summary: "Update a VLAN",
  params: byId,
  body: VlanUpdate,
  response: Vlan,
  errors: [
    "not_found",
    "network_mismatch",
    "already_exists",
    "invalid_reference",
    "precondition_failed",
    "write_conflict",
  ],
});

export const patchVlan = patchOf(updateVlan);

export const deleteVlan = vlans.deleteOne("Delete a VLAN that no subnet or link uses", "in_use");

export const bulkDeleteVlans = vlans.bulkDelete("in_use");
