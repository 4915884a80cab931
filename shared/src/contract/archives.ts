import { z } from "zod";
import { Id } from "./common.js";
import { endpoint } from "./endpoint.js";
import { HostCounts } from "./imports.js";
import { upload } from "./upload.js";

// The whole inventory of an organization as one file. @see docs/archives.md

/** A JSON value a line. */
export const ARCHIVE_TYPE = "application/x-ndjson";
/** Of the form of the lines. */
export const ARCHIVE_VERSION = 1;
/** What the first line says an archive is. */
export const ARCHIVE_MARK = "network-topology-service";

/** What has lines of its own, in the order in which they come; what stands on a host follows it at once. */
export const ARCHIVED = ["Tag", "Network", "Subnet", "Host", "Interface", "Port", "Service"] as const;
export type Archived = (typeof ARCHIVED)[number];

const common = { upstream: "topology", credential: "any", tag: "Organizations" } as const;

export const exportArchive = endpoint({
  ...common,
  operationId: "export_archive",
  method: "get",
  path: "/api/v1/organizations/archive",
  permission: "Viewer",
  summary: "The whole inventory as one file",
  description:
    "Tags, networks, subnets, and hosts with everything on them, all of one moment, of the networks that the caller may see: a JSON value " +
    "a line, the last of which has counts and a checksum. Neither accounts, keys and webhooks nor the journal are in it. With " +
    "`If-None-Match` it is 304 while nothing has changed.",
  response: z.string(),
  files: [ARCHIVE_TYPE],
  isFile: true,
  errors: [],
});

const int = z.int();
const perKind = <Value extends z.ZodType>(value: Value) =>
  z.object({ Tag: value, Network: value, Subnet: value, Host: value, Interface: value, Port: value, Service: value });

const Summary = perKind(HostCounts).meta({ id: "ArchiveSummary" });
export type ArchiveSummary = z.infer<typeof Summary>;

const Failure = z
  .object({
    line: int,
    entity: z.enum(ARCHIVED),
    id: Id.describe("In the archive."),
    code: z.string(),
    message: z.string(),
    taken: z
      .object({ line: int, host_id: Id })
      .nullable()
      .describe("Of `already_exists` on a host: the line of what is taken by now, and the host that has it."),
  })
  .meta({ id: "ArchiveFailure" });
export type ArchiveFailure = z.infer<typeof Failure>;

/** The members stand in this order: how far it is, is told as it goes on. */
export const ArchiveImport = z
  .object({
    dry_run: z.boolean(),
    archive: z.object({
      organization_id: Id,
      changes_cursor: z.string(),
      networks: z.enum(["all", "some"]),
      counts: perKind(int),
    }),
    progress: z.array(int).describe("Entities that are done; sent as it goes on."),
    failed: z.array(Failure).describe("What was not written, with what stands on it; the first 1,000."),
    summary: Summary,
  })
  .meta({ id: "ArchiveImport" });
export type ArchiveImport = z.infer<typeof ArchiveImport>;

export const importArchive = endpoint({
  ...common,
  operationId: "import_archive",
  method: "post",
  path: "/api/v1/organizations/archive",
  permission: "Admin",
  wholeOrganization: true,
  summary: "Import an archive",
  description:
    "All of the file is checked before anything is written. What is there by its id is put back, what is not is made, under ids that follow " +
    "from those of the file: sent again, it goes on where it ended, and makes nothing twice. Nothing is ever removed.",
  query: z.strictObject({ dry_run: z.boolean().default(false).describe("Only answer what would be done.") }),
  ...upload({
    contentTypes: [ARCHIVE_TYPE],
    limitBytes: 268_435_456,
    description: "What the export answers.",
  }),
  response: ArchiveImport,
  errors: ["archive_invalid"],
});
