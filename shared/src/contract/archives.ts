import { z } from "zod";
import { ChangedEntity } from "./changes.js";
import { Id } from "./common.js";
import { endpoint } from "./endpoint.js";
import { HostCounts } from "./imports.js";
import { forKinds, KIND_NAMES } from "./kinds.js";
import { BYTES, upload } from "./upload.js";

// Export and import of an organization's whole inventory as one file. @see docs/archives.md

/** Newline-delimited JSON. */
export const ARCHIVE_TYPE = "application/x-ndjson";
/** Version of the line format. */
export const ARCHIVE_VERSION = 1;
/** Value of `archive` in the first line. */
export const ARCHIVE_MARK = "network-topology-service";

const common = { upstream: "topology", credential: "any", tag: "Organizations" } as const;

export const exportArchive = endpoint({
  ...common,
  operationId: "export_archive",
  confirmed: true,
  method: "get",
  path: "/api/v1/organizations/archive",
  permission: "Viewer",
  summary: "Export the whole inventory as one file",
  description:
    "A consistent snapshot of tags, networks, subnets, hosts and their children in the networks visible to the caller, as " +
    "newline-delimited JSON. The last line has counts and a checksum. Accounts, keys, webhooks and the journal are not included. " +
    "With `If-None-Match`, 304 if nothing has changed.",
  etag: true,
  response: z.string(),
  files: [ARCHIVE_TYPE],
  isFile: true,
  errors: [],
});

const int = z.int();
/** In the order of an archive, where the children of a host directly follow it. */
const perKind = <Value extends z.ZodType>(value: Value) => z.object(forKinds(KIND_NAMES, () => value));

const Summary = perKind(HostCounts).meta({ id: "ArchiveSummary" });
export type ArchiveSummary = z.infer<typeof Summary>;

const Failure = z
  .object({
    line: int,
    entity: ChangedEntity,
    id: Id.describe("In the archive."),
    code: z.string(),
    message: z.string(),
    taken: z
      .object({ line: int, host_id: Id })
      .nullable()
      .describe("For `already_exists` on a host: the line of the conflicting entity, and the host that now has it."),
  })
  .meta({ id: "ArchiveFailure" });
export type ArchiveFailure = z.infer<typeof Failure>;

/** The members are streamed in this order, so that `progress` arrives during the import. */
export const ArchiveImport = z
  .object({
    dry_run: z.boolean(),
    archive: z.object({
      organization_id: Id,
      changes_cursor: z.string(),
      networks: z.enum(["all", "some"]).meta({ id: "ArchivedNetworks" }),
      counts: perKind(int),
    }),
    progress: z.array(int).describe("Number of processed entities, sent during the import."),
    failed: z.array(Failure).describe("Entities that were not written, nor their children; the first 1,000."),
    summary: Summary,
  })
  .meta({ id: "ArchiveImport" });
export type ArchiveImport = z.infer<typeof ArchiveImport>;

export const importArchive = endpoint({
  ...common,
  operationId: "import_archive",
  confirmed: true,
  method: "post",
  path: "/api/v1/organizations/archive",
  permission: "Admin",
  wholeOrganization: true,
  summary: "Import an archive",
  description:
    "The whole file is validated before anything is written. Entities that exist by id are restored; others are created under ids " +
    "derived from those in the file, so sending it again resumes the import and creates no duplicates. Nothing is ever deleted.",
  query: z.strictObject({
    dry_run: z.boolean().default(false).describe("Report what would be done, without writing."),
  }),
  ...upload({
    contentTypes: [BYTES, ARCHIVE_TYPE],
    limitBytes: 268_435_456,
    description: "A file that the export returned.",
  }),
  response: ArchiveImport,
  errors: ["archive_invalid"],
});
