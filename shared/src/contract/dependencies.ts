import { z } from "zod";
import { byId, filters as listFilters, Id, listQuery, Name, QUOTA_ERRORS, serverFields, text } from "./common.js";
import { endpoint } from "./endpoint.js";
import { patchOf } from "./merge-patch.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { resource } from "./resource.js";
import { sighting, sightingFilters } from "./sightings.js";
import { planned } from "./writes.js";

// What hangs on what: a client, which stops working when its server does. @see docs/dependencies.md

export { MOST_DEPENDENCIES_OF_HOST } from "./sizes.js";

export const DEPENDENCY_SOURCES = ["Manual", "Discovery"] as const;
export const DependencySource = z
  .enum(DEPENDENCY_SOURCES)
  .meta({ id: "DependencySource" })
  .describe("Who made it: a person or program by this API, or an import.");

const SERVICE = "A service of the host; null if only the host is known.";
const PROCESS = "The name of a process of the host that is no service.";
const PORT = "The port of the host to which the client connects.";

/** Response schemas accept whatever is stored. */
export const DependencyClient = z
  .object({
    host_id: Id,
    service_id: Id.nullable().describe(SERVICE),
    process: z.string().nullable().describe(PROCESS),
  })
  .meta({ id: "DependencyClient" });
export type DependencyClient = z.infer<typeof DependencyClient>;

export const DependencyServer = z
  .object({
    host_id: Id,
    service_id: Id.nullable().describe(SERVICE),
    port_id: Id.nullable().describe(PORT),
  })
  .meta({ id: "DependencyServer" });
export type DependencyServer = z.infer<typeof DependencyServer>;

/** A client that needs a server. @see docs/dependencies.md */
export const Dependency = z
  .object({
    ...serverFields,
    network_id: Id,
    client: DependencyClient,
    server: DependencyServer,
    source: DependencySource,
    note: z.string().nullable(),
    ...sighting,
  })
  .meta({ id: "Dependency" });
export type Dependency = z.infer<typeof Dependency>;

const ClientInput = z
  .object({
    host_id: Id,
    service_id: Id.nullable().default(null).describe(SERVICE),
    process: Name.nullable().default(null).describe(PROCESS),
  })
  .meta({ id: "DependencyClientInput" });

const ServerInput = z
  .object({
    host_id: Id,
    service_id: Id.nullable().default(null).describe(SERVICE),
    port_id: Id.nullable().default(null).describe(PORT),
  })
  .meta({ id: "DependencyServerInput" });

const Note = text(0, 500).nullable().describe("What it is for.");

export const DependencyCreate = z
  .object({
    network_id: Id,
    client: ClientInput,
    server: ServerInput,
    note: Note.default(null),
  })
  .meta({ id: "DependencyCreate" });

export const DependencyUpdate = z
  .object({
    network_id: Id.optional(),
    client: ClientInput.optional(),
    server: ServerInput.optional(),
    note: Note.optional(),
  })
  .meta({ id: "DependencyUpdate" });

const dependencies = resource("Dependency", { write: "Member" });
const { common } = dependencies;

export const listDependencies = endpoint({
  ...common,
  operationId: "list_dependencies",
  method: "get",
  path: "/api/v1/dependencies",
  permission: "Viewer",
  summary: "List dependencies",
  query: listQuery(["created_at", "updated_at"], {
    ...asOf,
    network_id: listFilters.network_id,
    ids: listFilters.ids,
    host_id: Id.optional().describe("Only those of this host, or of what is on it, as client or server."),
    service_id: Id.optional().describe("Only those of this service, as client or server."),
    source: DependencySource.optional(),
    ...sightingFilters,
  }),
  response: Dependency,
  list: true,
  errors: AS_OF_ERRORS,
});

const ENDS = "Services and ports must be of the host of their end; both hosts must be in the network.";

export const createDependency = endpoint({
  ...common,
  ...planned,
  operationId: "create_dependency",
  method: "post",
  path: "/api/v1/dependencies",
  permission: "Member",
  summary: "Create a dependency",
  description: `${ENDS} There is one dependency of a client on a server.`,
  body: DependencyCreate,
  response: Dependency,
  errors: [...QUOTA_ERRORS, "invalid_reference", "network_mismatch", "already_exists", "write_conflict"],
});

export const getDependency = dependencies.getOne(Dependency);

export const updateDependency = endpoint({
  ...common,
  ...planned,
  operationId: "update_dependency",
  method: "put",
  path: "/api/v1/dependencies/{id}",
  permission: "Member",
  summary: "Update a dependency",
  description: `${ENDS} What is left out stays.`,
  params: byId,
  body: DependencyUpdate,
  response: Dependency,
  errors: [
    "not_found",
    "invalid_reference",
    "network_mismatch",
    "already_exists",
    "precondition_failed",
    "write_conflict",
  ],
});

export const patchDependency = patchOf(updateDependency);

export const deleteDependency = dependencies.deleteOne();

export const bulkDeleteDependencies = dependencies.bulkDelete();
