import { z } from "zod";
import { attributeFilter, attributes, AttributesResponse } from "./attributes.js";
import {
  BulkIds,
  byId,
  Description,
  filters,
  Id,
  label,
  listQuery,
  Name,
  NATURAL_ORDER,
  QUOTA_ERRORS,
  runnerFilter,
  SearchPart,
  serverFields,
  Source,
  Tags,
  text,
  Virtualization,
  VirtualizationResponse,
} from "./common.js";
import { endpoint } from "./endpoint.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { observed, ObservedOfHost } from "./observed.js";
import { patchOf } from "./merge-patch.js";
import { HOSTNAME_LIMIT } from "./formats.js";
import { resource } from "./resource.js";
import { Role, roleFilter } from "./roles.js";
import { sighting, sightingFilters } from "./sightings.js";
import { planned } from "./writes.js";
import { Interface, InterfaceOfNewHost } from "./interfaces.js";
import { Port, PortOfNewHost } from "./ports.js";
import { Service, ServiceCreate } from "./services.js";

/** A host without its children. */
export const HostRecord = z.object({
  ...serverFields,
  network_id: Id,
  name: z.string(),
  hostname: z.string().nullable(),
  description: z.string().nullable(),
  hidden: z.boolean(),
  is_known: z
    .boolean()
    .describe("False for a host that was found by an import, until somebody says that it is known: a stranger."),
  source: Source,
  virtualization: VirtualizationResponse.nullable(),
  role: Role.nullable().describe("What people say that it is; null if they have not."),
  attributes: AttributesResponse,
  observed: observed(ObservedOfHost),
  tags: z.array(z.string()),
});
export type HostRecord = z.infer<typeof HostRecord>;

/** A host with its interfaces, ports and services; interfaces and services are ordered by position. */
export const Host = HostRecord.extend({
  ...sighting,
  interfaces: z.array(Interface),
  ports: z.array(Port),
  services: z.array(Service),
}).meta({ id: "Host" });
export type Host = z.infer<typeof Host>;

const optionalFields = {
  hostname: label(1, HOSTNAME_LIMIT).nullable().optional(),
  description: Description.nullable().optional(),
  hidden: z.boolean().optional(),
  is_known: z.boolean().optional().describe("Default true."),
  virtualization: Virtualization.nullable().optional(),
  role: Role.nullable().optional(),
  attributes,
};

const ServiceOfNewHost = ServiceCreate.omit({ host_id: true, network_id: true }).meta({ id: "ServiceOfNewHost" });

export const HostCreate = z
  .object({
    network_id: Id,
    name: Name,
    ...optionalFields,
    tags: Tags.default([]),
    interfaces: z.array(InterfaceOfNewHost).max(1000).default([]),
    ports: z.array(PortOfNewHost).max(1000).default([]),
    services: z.array(ServiceOfNewHost).max(1000).default([]),
  })
  .meta({ id: "HostCreate" });
export type HostCreate = z.infer<typeof HostCreate>;

/** Children in the body are ignored; they have their own operations. */
export const HostUpdate = z
  .object({ network_id: Id, name: Name, ...optionalFields, tags: Tags.optional() })
  .meta({ id: "HostUpdate" });
export type HostUpdate = z.infer<typeof HostUpdate>;

const hosts = resource("Host", { write: "Member" });
const { common } = hosts;

export const listHosts = endpoint({
  ...common,
  operationId: "list_hosts",
  method: "get",
  path: "/api/v1/hosts",
  permission: "Viewer",
  summary: "List hosts with their interfaces, ports and services",
  query: listQuery(
    ["created_at", "name", "natural_name", "hostname", "updated_at", "network_id", "address"],
    {
      ...asOf,
      ...filters,
      ...attributeFilter,
      ...roleFilter,
      ...runnerFilter,
      vendor: text(1, 200).optional().describe("Only hosts of this vendor, as sources name it, ignoring case."),
      is_known: z.boolean().optional().describe("Only hosts that somebody knows, or only strangers."),
      ...sightingFilters,
      q: SearchPart.describe(
        "Case-insensitive search in name, hostname, addresses, vendor and model; or for a port (`10.0.0.5:443`, `:443`, `443/tcp`), " +
          "a MAC address in any notation, or a block (`10.0.0.0/24`), for hosts with an address in it.",
      ),
    },
    NATURAL_ORDER,
  ),
  response: Host,
  list: true,
  errors: AS_OF_ERRORS,
});

export const createHost = endpoint({
  ...common,
  ...planned,
  operationId: "create_host",
  method: "post",
  path: "/api/v1/hosts",
  permission: "Member",
  summary: "Create a host, optionally with its interfaces, ports and services",
  description:
    "Atomic. The `id` of a child is local to this body, for use in bindings; the server assigns its own ids.",
  body: HostCreate,
  response: Host,
  errors: [
    ...QUOTA_ERRORS,
    "invalid_reference",
    "network_mismatch",
    "ip_outside_subnet",
    "subnet_full",
    "already_exists",
    "binding_cross_host",
    "binding_conflict",
    "write_conflict",
  ],
});

export const getHost = hosts.getOne(Host, "Get a host with its interfaces, ports and services");

export const updateHost = endpoint({
  ...common,
  ...planned,
  operationId: "update_host",
  method: "put",
  path: "/api/v1/hosts/{id}",
  permission: "Member",
  summary: "Update a host",
  params: byId,
  body: HostUpdate,
  response: Host,
  errors: ["not_found", "network_mismatch", "invalid_reference", "precondition_failed", "write_conflict"],
});

export const patchHost = patchOf(updateHost);

const HostMerge = z
  .object({ host_id: Id.describe("The host that becomes part of this one; it is deleted.") })
  .meta({ id: "HostMerge" });

export const mergeHosts = endpoint({
  ...common,
  ...planned,
  operationId: "merge_hosts",
  method: "post",
  path: "/api/v1/hosts/{id}/merge",
  permission: "Member",
  summary: "Merge another host into a host",
  description:
    "For two hosts that are one machine. Interfaces, ports and services of the other host move to this one; what both have becomes " +
    "one, and the other host is deleted. What this host has is kept; what it lacks is taken from the other one. Atomic; " +
    "reverting the request restores both.",
  params: byId,
  body: HostMerge,
  response: Host,
  errors: [
    "not_found",
    "invalid_reference",
    "network_mismatch",
    "too_many_changes",
    "precondition_failed",
    "write_conflict",
  ],
});

const HostSplit = z
  .object({
    interface_ids: z
      .array(Id)
      .min(1)
      .max(1000)
      .describe("Interfaces of this host that the new one gets. At least one must remain."),
    name: Name.describe("Name of the new host."),
  })
  .meta({ id: "HostSplit" });

export const splitHost = endpoint({
  ...common,
  ...planned,
  operationId: "split_host",
  method: "post",
  path: "/api/v1/hosts/{id}/split",
  permission: "Member",
  summary: "Split a host in two",
  description:
    "For a host that is two machines. A new host, which is returned, gets the interfaces, and the ports and services bound to them. " +
    "A port or service bound to others as well stays, and the new host gets a copy. What is bound to all interfaces, or to none, stays. " +
    "Imports keep the interfaces apart from those of other hosts. `If-Match` applies to the host that is split.",
  params: byId,
  body: HostSplit,
  response: Host,
  errors: [
    "not_found",
    ...QUOTA_ERRORS,
    "invalid_reference",
    "too_many_changes",
    "precondition_failed",
    "write_conflict",
  ],
});

export const deleteHost = hosts.deleteOne("Delete a host with its interfaces, ports and services");

export const bulkDeleteHosts = hosts.bulkDelete();

const KnownHosts = z.object({ ids: BulkIds }).meta({ id: "KnownHosts" });

export const knowHosts = endpoint({
  ...common,
  ...planned,
  operationId: "know_hosts",
  method: "post",
  path: "/api/v1/hosts/known",
  permission: "Member",
  summary: "Say that several hosts are known: all or none",
  description: "Sets `is_known`. Hosts that are known already stay as they are.",
  body: KnownHosts,
  response: z
    .object({ known_count: z.int().describe("Hosts that were not known before."), requested_count: z.int() })
    .meta({ id: "KnownHostsResult" }),
  errors: ["not_found", "write_conflict"],
});
