import { z } from "zod";
import { byId, filters, Id, listQuery, Name, Nothing, serverFields, Tags, BulkDelete, BulkDeleted } from "./common.js";
import { endpoint } from "./endpoint.js";

/** A network: what entities belong to and what callers are limited to. */
export const Network = z
  .object({ ...serverFields, name: z.string(), organization_id: Id, tags: z.array(z.string()) })
  .meta({ id: "Network" });
export type Network = z.infer<typeof Network>;

const organization_id = Id.optional().describe("The caller's own organization.");

export const NetworkCreate = z
  .object({ name: Name, organization_id, tags: Tags.default([]) })
  .meta({ id: "NetworkCreate" });

export const NetworkUpdate = z
  .object({ name: Name, organization_id, tags: Tags.optional() })
  .meta({ id: "NetworkUpdate" });
export type NetworkUpdate = z.infer<typeof NetworkUpdate>;

const common = { upstream: "topology", credential: "any", tag: "Networks" } as const;

export const listNetworks = endpoint({
  ...common,
  operationId: "list_networks",
  method: "get",
  path: "/api/v1/networks",
  permission: "Viewer",
  summary: "List networks",
  query: listQuery(["created_at", "name", "updated_at"], filters),
  response: Network,
  list: true,
  errors: [],
});

export const createNetwork = endpoint({
  ...common,
  operationId: "create_network",
  method: "post",
  path: "/api/v1/networks",
  permission: "Admin",
  summary: "Create a network",
  description: "An API key that is restricted to networks cannot create one: it could not see its own creation.",
  body: NetworkCreate,
  response: Network,
  errors: ["permission_denied", "invalid_reference"],
});

export const getNetwork = endpoint({
  ...common,
  operationId: "get_network_by_id",
  method: "get",
  path: "/api/v1/networks/{id}",
  permission: "Viewer",
  summary: "Get a network",
  params: byId,
  response: Network,
  errors: ["not_found"],
});

export const updateNetwork = endpoint({
  ...common,
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

export const deleteNetwork = endpoint({
  ...common,
  operationId: "delete_network",
  method: "delete",
  path: "/api/v1/networks/{id}",
  permission: "Admin",
  summary: "Delete a network and everything in it",
  params: byId,
  response: Nothing,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});

export const bulkDeleteNetworks = endpoint({
  ...common,
  operationId: "bulk_delete_networks",
  method: "post",
  path: "/api/v1/networks/bulk-delete",
  permission: "Admin",
  summary: "Delete several networks: all or none",
  body: BulkDelete,
  response: BulkDeleted,
  errors: ["not_found", "write_conflict"],
});
