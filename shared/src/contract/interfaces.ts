import { z } from "zod";
import { attributeFilter, attributes, AttributesResponse } from "./attributes.js";
import { byId, filters, Id, IpAddress, listQuery, Name, QUOTA_ERRORS, serverFields, text } from "./common.js";
import { endpoint } from "./endpoint.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { observed, ObservedOfInterface } from "./observed.js";
import { patchOf } from "./merge-patch.js";
import { canonicalMac, isMac } from "./formats.js";
import { resource } from "./resource.js";
import { sighting, sightingFilters } from "./sightings.js";
import { planned } from "./writes.js";

/** A network interface of a host, with one address. @see docs/api.md "Resources" */
export const Interface = z
  .object({
    ...serverFields,
    host_id: Id,
    ip_address: z.string(),
    name: z.string().nullable(),
    network_id: Id,
    subnet_id: Id,
    mac_address: z.string().nullable(),
    position: z.int32().describe("Place in the host's list of interfaces, from 0."),
    attributes: AttributesResponse,
    observed: observed(ObservedOfInterface),
    is_separate: z
      .boolean()
      .optional()
      .describe("True if a person has split it from another host; imports then keep them apart. Absent otherwise."),
    ...sighting,
  })
  .meta({ id: "Interface" });
export type Interface = z.infer<typeof Interface>;

/** Requests the lowest free address of the subnet. */
export const NEXT_ADDRESS = "next";

const RequestedAddress = z
  .union([...IpAddress.options, z.literal(NEXT_ADDRESS)], { error: "must be an IPv4 or IPv6 address, or `next`" })
  .meta({
    id: "NewAddress",
    description:
      "`next` assigns the lowest free address of the subnet, excluding the network, broadcast and reserved addresses.",
  });

/** A 48-bit MAC address in any common notation. */
export const MacAddress = z
  .string()
  .trim()
  .overwrite(canonicalMac)
  .refine(isMac, "must be a 48-bit MAC address")
  .meta({
    id: "MacAddress",
    format: "mac",
    minLength: 11,
    description:
      "Also `aa-bb-cc-dd-ee-ff`, `a:b:c:d:e:f`, `aabb.ccdd.eeff`, `aabb-ccdd-eeff`, `aabbcc-ddeeff`, `aabbccddeeff`.",
    examples: ["AA:BB:CC:DD:EE:FF"],
  });

const position = z.int32().min(0).optional();
const mac_address = MacAddress.nullable().optional().describe("Immutable once set; if absent or null, unchanged.");

/** An interface created together with its host; `id` is local to the body, for use in bindings. */
export const InterfaceOfNewHost = z
  .object({
    id: Id.optional(),
    ip_address: RequestedAddress,
    subnet_id: Id,
    name: Name.nullable().default(null),
    mac_address,
    position,
    attributes,
  })
  .meta({ id: "InterfaceOfNewHost" });

export const InterfaceCreate = z
  .object({
    host_id: Id,
    ip_address: RequestedAddress,
    name: Name.nullable().default(null),
    network_id: Id,
    subnet_id: Id,
    mac_address,
    position: position.describe("If absent or beyond the end, last."),
    attributes,
  })
  .meta({ id: "InterfaceCreate" });

export const InterfaceUpdate = z
  .object({
    host_id: Id.describe("Immutable."),
    ip_address: IpAddress,
    name: Name.nullable(),
    network_id: Id,
    subnet_id: Id,
    mac_address,
    position: position.describe("If absent, unchanged; if beyond the end, last."),
    attributes,
  })
  .meta({ id: "InterfaceUpdate" });
export type InterfaceUpdate = z.infer<typeof InterfaceUpdate>;

const interfaces = resource("Interface", { write: "Member" });
const { common } = interfaces;
const addressErrors = ["network_mismatch", "invalid_reference", "ip_outside_subnet", "already_exists"] as const;

export const listInterfaces = endpoint({
  ...common,
  operationId: "list_interfaces",
  method: "get",
  path: "/api/v1/interfaces",
  permission: "Viewer",
  summary: "List interfaces",
  query: listQuery(["created_at", "position", "ip_address"], {
    ...asOf,
    network_id: filters.network_id,
    host_id: Id.optional().describe("Only interfaces of this host."),
    subnet_id: Id.optional().describe("Only interfaces in this subnet."),
    ids: filters.ids,
    ...attributeFilter,
    vendor: text(1, 200)
      .optional()
      .describe("Only interfaces with a MAC address of this vendor, as sources name it, ignoring case."),
    ...sightingFilters,
  }),
  response: Interface,
  list: true,
  errors: AS_OF_ERRORS,
});

export const createInterface = endpoint({
  ...common,
  ...planned,
  operationId: "create_interface",
  method: "post",
  path: "/api/v1/interfaces",
  permission: "Member",
  summary: "Create an interface",
  body: InterfaceCreate,
  response: Interface,
  errors: [...QUOTA_ERRORS, ...addressErrors, "subnet_full", "write_conflict"],
});

export const getInterface = interfaces.getOne(Interface);

export const updateInterface = endpoint({
  ...common,
  ...planned,
  operationId: "update_interface",
  method: "put",
  path: "/api/v1/interfaces/{id}",
  permission: "Member",
  summary: "Update an interface",
  params: byId,
  body: InterfaceUpdate,
  response: Interface,
  errors: ["not_found", ...addressErrors, "mac_address_immutable", "precondition_failed", "write_conflict"],
});

export const patchInterface = patchOf(updateInterface);

export const deleteInterface = interfaces.deleteOne("Delete an interface and its bindings");

export const bulkDeleteInterfaces = interfaces.bulkDelete("too_many_changes");
