import { z } from "zod";
import { attributeFilter, attributes, AttributesResponse } from "./attributes.js";
import { Binding, Bindings } from "./bindings.js";
import { Category } from "./categories.js";
import {
  byId,
  EchoedSource,
  filters,
  Id,
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
import { observed, ObservedOfService } from "./observed.js";
import { patchOf } from "./merge-patch.js";
import { resource } from "./resource.js";
import { sighting, sightingFilters } from "./sightings.js";
import { planned } from "./writes.js";

/** A service that runs on a host. @see docs/api.md "Resources" */
export const Service = z
  .object({
    ...serverFields,
    bindings: z.array(Binding),
    host_id: Id,
    name: z.string(),
    network_id: Id,
    position: z.int32().describe("Place in the host's list of services, from 0."),
    service_definition: z.string(),
    source: Source,
    tags: z.array(z.string()),
    virtualization: VirtualizationResponse.nullable(),
    attributes: AttributesResponse,
    observed: observed(ObservedOfService),
    ...sighting,
  })
  .meta({ id: "Service" });
export type Service = z.infer<typeof Service>;

const virtualization = Virtualization.nullable().optional();

export const ServiceCreate = z
  .object({
    host_id: Id,
    name: Name,
    network_id: Id,
    service_definition: Name,
    bindings: Bindings.default([]),
    position: z.int32().min(0).optional().describe("If absent or beyond the end, last."),
    tags: Tags.default([]),
    virtualization,
    attributes,
  })
  .meta({ id: "ServiceCreate" });

/** The full object may be sent back; `source` is required but ignored. @see docs/api.md "Updates and revisions" */
export const ServiceUpdate = z
  .object({
    bindings: Bindings,
    host_id: Id.describe("Another host of the same network, to move the service."),
    name: Name,
    network_id: Id,
    position: z.int32().min(0),
    service_definition: Name,
    source: EchoedSource,
    tags: Tags,
    virtualization: virtualization.describe("If absent, unchanged; null clears."),
    attributes,
  })
  .meta({ id: "ServiceUpdate" });
export type ServiceUpdate = z.infer<typeof ServiceUpdate>;

export const SERVICE_ORDER_FIELDS = [
  "created_at",
  "name",
  "natural_name",
  "updated_at",
  "host",
  "network_id",
  "position",
  "service_definition",
] as const;

const services = resource("Service", { write: "Member" });
const { common } = services;
const bindingErrors = ["binding_cross_host", "binding_conflict"] as const;

export const listServices = endpoint({
  ...common,
  operationId: "list_services",
  method: "get",
  path: "/api/v1/services",
  permission: "Viewer",
  summary: "List services",
  query: listQuery(
    SERVICE_ORDER_FIELDS,
    {
      ...asOf,
      network_id: filters.network_id,
      q: SearchPart.describe(
        "Case-insensitive search in name, service_definition, product and version; or for a binding: `10.0.0.5:443`, `[fd00::5]:443`, `:443`, `443/tcp`.",
      ),
      host_id: Id.optional().describe("Only services of this host."),
      ids: filters.ids,
      tag_ids: filters.tag_ids,
      ...attributeFilter,
      ...runnerFilter,
      product: text(1, 200).optional().describe("Only services with this product, as sources name it, ignoring case."),
      exclude_categories: z.array(Category).max(50).default([]).describe("Excludes services of these categories."),
      ...sightingFilters,
    },
    NATURAL_ORDER,
  ),
  response: Service,
  list: true,
  errors: AS_OF_ERRORS,
});

export const createService = endpoint({
  ...common,
  ...planned,
  operationId: "create_service",
  method: "post",
  path: "/api/v1/services",
  permission: "Member",
  summary: "Create a service",
  body: ServiceCreate,
  response: Service,
  errors: [...QUOTA_ERRORS, "invalid_reference", "network_mismatch", ...bindingErrors, "write_conflict"],
});

export const getService = services.getOne(Service);

export const updateService = endpoint({
  ...common,
  ...planned,
  operationId: "update_service",
  method: "put",
  path: "/api/v1/services/{id}",
  permission: "Member",
  summary: "Update a service",
  description:
    "Bindings are validated in this order: every port and interface must belong to the service's host; duplicates are removed; " +
    "a port bound on all interfaces replaces its bindings on single ones; an interface binding conflicts with " +
    "a port binding on that interface or on all interfaces. An unchanged binding keeps its id.",
  params: byId,
  body: ServiceUpdate,
  response: Service,
  errors: [
    "not_found",
    ...QUOTA_ERRORS,
    "invalid_reference",
    "network_mismatch",
    ...bindingErrors,
    "precondition_failed",
    "write_conflict",
  ],
});

export const patchService = patchOf(updateService);

export const deleteService = services.deleteOne();

export const bulkDeleteServices = services.bulkDelete("too_many_changes");
