import { z } from "zod";
import { byId, filters, Id, listQuery, QUOTA_ERRORS, serverFields } from "./common.js";
import { endpoint } from "./endpoint.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { observed, ObservedOfPort } from "./observed.js";
import { patchOf } from "./merge-patch.js";
import { resource } from "./resource.js";
import { sighting, sightingFilters } from "./sightings.js";
import { planned } from "./writes.js";

export const PROTOCOLS = ["Tcp", "Udp"] as const;
export const Protocol = z.enum(PROTOCOLS).meta({ id: "Protocol" });
export type Protocol = z.infer<typeof Protocol>;
const PortNumber = z.int().min(1).max(65_535);

/** A port of a host to which services can be bound. */
export const Port = z
  .object({
    ...serverFields,
    network_id: Id,
    host_id: Id,
    number: PortNumber,
    protocol: Protocol,
    type: z.string().describe("Well-known name of the port, or `Custom`; derived from number and protocol."),
    observed: observed(ObservedOfPort),
    ...sighting,
  })
  .meta({ id: "Port" });
export type Port = z.infer<typeof Port>;

const numbered = { number: PortNumber, protocol: Protocol };

/** A port created together with its host; `id` is local to the body, for use in bindings. */
export const PortOfNewHost = z.object({ id: Id.optional(), ...numbered }).meta({ id: "PortOfNewHost" });

export const PortInput = z.object({ host_id: Id, network_id: Id, ...numbered }).meta({ id: "PortInput" });
export type PortInput = z.infer<typeof PortInput>;

const ports = resource("Port", { write: "Member" });
const { common } = ports;

export const listPorts = endpoint({
  ...common,
  operationId: "list_ports",
  method: "get",
  path: "/api/v1/ports",
  permission: "Viewer",
  summary: "List ports",
  query: listQuery(["created_at", "number"], {
    ...asOf,
    network_id: filters.network_id,
    host_id: Id.optional().describe("Only ports of this host."),
    ids: filters.ids,
    ...sightingFilters,
  }),
  response: Port,
  list: true,
  errors: AS_OF_ERRORS,
});

export const createPort = endpoint({
  ...common,
  ...planned,
  operationId: "create_port",
  method: "post",
  path: "/api/v1/ports",
  permission: "Member",
  summary: "Create a port",
  body: PortInput,
  response: Port,
  errors: [...QUOTA_ERRORS, "invalid_reference", "network_mismatch", "already_exists", "write_conflict"],
});

export const getPort = ports.getOne(Port);

export const updatePort = endpoint({
  ...common,
  ...planned,
  operationId: "update_port",
  method: "put",
  path: "/api/v1/ports/{id}",
  permission: "Member",
  summary: "Update a port",
  params: byId,
  body: PortInput,
  response: Port,
  errors: ["not_found", "network_mismatch", "already_exists", "precondition_failed", "write_conflict"],
});

export const patchPort = patchOf(updatePort);

export const deletePort = ports.deleteOne("Delete a port and its bindings");

export const bulkDeletePorts = ports.bulkDelete("too_many_changes");
