import { z } from "zod";
import { attributeFilter, attributes, AttributesResponse } from "./attributes.js";
import { byId, filters, Id, listQuery, Name, QUOTA_ERRORS, SearchPart, serverFields, Tags } from "./common.js";
import { endpoint } from "./endpoint.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { patchOf } from "./merge-patch.js";
import { resource } from "./resource.js";
import { planned } from "./writes.js";

/** A network: the unit of ownership of entities, and of access control. */
export const Network = z
  .object({
    ...serverFields,
    name: z.string(),
    organization_id: Id,
    attributes: AttributesResponse,
    tags: z.array(z.string()),
  })
  .meta({ id: "Network" });
export type Network = z.infer<typeof Network>;

const organization_id = Id.optional().describe("The caller's own organization.");

export const NetworkCreate = z
  .object({ name: Name, organization_id, attributes, tags: Tags.default([]) })
  .meta({ id: "NetworkCreate" });

export const NetworkUpdate = z
  .object({ name: Name, organization_id, attributes, tags: Tags.optional() })
  .meta({ id: "NetworkUpdate" });
export type NetworkUpdate = z.infer<typeof NetworkUpdate>;

const networks = resource("Network", { write: "Admin" });
const { common } = networks;

export const listNetworks = endpoint({
  ...common,
  operationId: "list_networks",
  method: "get",
  path: "/api/v1/networks",
  permission: "Viewer",
  summary: "List networks",
  query: listQuery(["created_at", "name", "updated_at"], {
    ...filters,
    ...attributeFilter,
    ...asOf,
    q: SearchPart.describe("Case-insensitive search in the name."),
  }),
  response: Network,
  list: true,
  errors: AS_OF_ERRORS,
});

export const createNetwork = endpoint({
  ...common,
  ...planned,
  operationId: "create_network",
  method: "post",
  path: "/api/v1/networks",
  permission: "Admin",
  wholeOrganization: true,
  summary: "Create a network",
  body: NetworkCreate,
  response: Network,
  errors: [...QUOTA_ERRORS, "permission_denied", "invalid_reference", "write_conflict"],
});

export const getNetwork = networks.getOne(Network);

export const updateNetwork = endpoint({
  ...common,
  ...planned,
  operationId: "update_network",
  method: "put",
  path: "/api/v1/networks/{id}",
  permission: "Admin",
  summary: "Update a network",
  params: byId,
  body: NetworkUpdate,
  response: Network,
  errors: ["not_found", "permission_denied", "invalid_reference", "precondition_failed", "write_conflict"],
});

export const patchNetwork = patchOf(updateNetwork);

export const deleteNetwork = networks.deleteOne("Delete a network and everything in it");

export const bulkDeleteNetworks = networks.bulkDelete();
