import { z } from "zod";
import { Id, Instant, label, text, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { CsvTable } from "./exports.js";
import { HOSTNAME_LIMIT } from "./formats.js";
import { CELL_FAULTS, COLUMN_MEANINGS, IMPORT_FORMATS, saidColumn } from "./import-formats.js";
import { ImportJob } from "./import-job.js";
import { LinkKind } from "./links.js";
import { Protocol } from "./ports.js";
import { Missing, MissingCounts, RecognizedBy } from "./sightings.js";
import { Cidr } from "./subnets.js";
import { BYTES, upload } from "./upload.js";

// An import returns a plan: what it would do (`dry_run`) or what it has done, in the same form.

const Line = z.int().describe("Line of the file, from 1; for a JSON list, the number of the entry.");

/** `unchanged`: the entity already existed. */
const Action = z.enum(["create", "update", "unchanged"]).meta({ id: "ImportedChildAction" });
const id = Id.nullable().describe("Null if a dry run would create it.");

/** The position where the file is truncated. */
const Ending = z
  .object({ line: Line, column: z.int(), reason: z.string() })
  .describe("Where and why the file is truncated, or null.");

export const ImportedScan = z
  .object({
    scanner: z.string(),
    version: z.string().nullable(),
    args: z.string().nullable().describe("The command line of the scan."),
    started_at: Timestamp.nullable(),
  })
  .meta({ id: "ImportedScan" });
export type ImportedScan = z.infer<typeof ImportedScan>;

export const Refusal = z.object({ code: z.string(), message: z.string() }).meta({ id: "ImportRefusal" });

export const ImportedSubnet = z
  .object({
    action: z.enum(["create", "existing", "failed"]).meta({ id: "ImportedSubnetAction" }),
    id,
    cidr: z.string(),
    error: Refusal.nullable(),
  })
  .meta({ id: "ImportedSubnet" });
export type ImportedSubnet = z.infer<typeof ImportedSubnet>;

const ImportedInterface = z
  .object({
    action: Action,
    id,
    ip_address: z.string(),
    mac_address: z.string().nullable(),
    subnet: z.string().describe("CIDR of its subnet."),
  })
  .meta({ id: "ImportedInterface" });

const portOf = { protocol: Protocol, number: z.int() };
const ImportedPort = z.object({ action: Action, id, ...portOf }).meta({ id: "ImportedPort" });

/** The evidence from which a service definition was guessed. */
export const GUESS_SOURCES = ["product", "service_name", "port"] as const;
export type GuessSource = (typeof GUESS_SOURCES)[number];

const ImportedService = z
  .object({
    action: Action,
    id,
    name: z.string(),
    service_definition: z.string(),
    guessed_from: z
      .enum(GUESS_SOURCES)
      .meta({ id: "GuessSource" })
      .nullable()
      .describe("Evidence for a guessed definition: the product or service named by the scan, or the port."),
    bindings: z
      .array(z.object({ ip_address: z.string().describe("`*` means all addresses of the host."), ...portOf }))
      .describe("Where it listens: a port on one interface, or on all of them."),
  })
  .meta({ id: "ImportedService" });

/** A changed member of an existing entity; null means no value. */
export const ImportedChange = z
  .object({ path: z.string(), from: z.string().nullable(), to: z.string() })
  .meta({ id: "ImportedChange" });
export type ImportedChange = z.infer<typeof ImportedChange>;

const SupersededInterface = z
  .object({
    id: Id,
    host_id: Id,
    host_name: z.string(),
    ip_address: z.string(),
    mac_address: z.string().nullable(),
  })
  .meta({ id: "SupersededInterface" });

export const Evidence = z
  .object({
    by: RecognizedBy.describe(
      "`request`: the request names the host; `chassis_id`: a MAC address of its chassis or ports; `former_mac_address`: one that the host had until another machine took its address; `machine_id`: the id of its installation.",
    ),
    value: z.string(),
  })
  .meta({ id: "Evidence" });
export type Evidence = z.infer<typeof Evidence>;

export const ImportedHost = z
  .object({
    line: Line,
    action: z.enum(["create", "update", "unchanged", "failed"]).meta({ id: "ImportedHostAction" }),
    id,
    matched_by: z
      .enum(["mac_address", "ip_address"])
      .meta({ id: "HostMatch" })
      .nullable()
      .describe("How an existing host was matched; null if by something else, which `evidence` names."),
    evidence: z
      .array(Evidence)
      .optional()
      .describe(
        "Why it is this existing host: what decided comes first, what else agrees follows. Empty for a new one; absent from plans of jobs before it was told.",
      ),
    name: z.string(),
    hostname: z.string().nullable(),
    interfaces: z.array(ImportedInterface),
    ports: z.array(ImportedPort),
    services: z.array(ImportedService),
    changes: z.array(ImportedChange).describe("Changed members of an existing host, in addition to new children."),
    superseded: z
      .array(SupersededInterface)
      .describe("Interfaces of other hosts that had an address of this host; deleted with their bindings."),
    joined: z
      .object({ id: Id, name: z.string() })
      .nullable()
      .describe("A duplicate host, known only by addresses of this one, that was merged into it and deleted."),
    error: Refusal.nullable().describe("Why it failed; if set, nothing of it was written."),
  })
  .meta({ id: "ImportedHost" });
export type ImportedHost = z.infer<typeof ImportedHost>;

const endOfHost = {
  host_id: Id.nullable().describe("Null if a dry run would create it."),
  host_name: z.string(),
  service_id: Id.nullable().describe("Null if only the host is known, or a dry run would create the service."),
  service_name: z.string().nullable().describe("Null if only the host is known."),
};

export const ImportedDependency = z
  .object({
    line: Line,
    action: z.enum(["create", "update", "unchanged", "failed"]).meta({ id: "ImportedDependencyAction" }),
    id,
    client: z
      .object({ ...endOfHost, process: z.string().nullable().describe("A process that is no service.") })
      .meta({ id: "ImportedClient" }),
    server: z
      .object({ ...endOfHost, port: z.string().nullable().describe("Such as `5432/tcp`; null if it is not known.") })
      .meta({ id: "ImportedServer" }),
    error: Refusal.nullable(),
  })
  .meta({ id: "ImportedDependency" });
export type ImportedDependency = z.infer<typeof ImportedDependency>;

/** A VLAN that devices name. */
export const ImportedVlan = z
  .object({
    action: z.enum(["create", "existing"]).meta({ id: "ImportedVlanAction" }),
    id,
    vid: z.int(),
    name: z.string(),
  })
  .meta({ id: "ImportedVlan" });
export type ImportedVlan = z.infer<typeof ImportedVlan>;

const ImportedLinkEnd = z
  .object({
    host_id: id,
    host_name: z.string(),
    interface_id: Id.nullable(),
    port: z.string().nullable(),
    is_new_switch: z.boolean().describe("It is an unmanaged switch that is created with its links."),
  })
  .meta({ id: "ImportedLinkEnd" });

export const ImportedLink = z
  .object({
    line: Line,
    action: z.enum(["create", "update", "unchanged", "failed"]).meta({ id: "ImportedLinkAction" }),
    id,
    kind: LinkKind,
    ends: z.array(ImportedLinkEnd),
    error: Refusal.nullable().describe("Why it failed."),
  })
  .meta({ id: "ImportedLink" });
export type ImportedLink = z.infer<typeof ImportedLink>;

export const SkippedPart = z
  .object({
    line: Line,
    what: z.string(),
    reason: z.string(),
    column: z.string().optional().describe("For CSV: the column heading of the invalid cell."),
    code: z
      .enum(CELL_FAULTS)
      .meta({ id: "CellFault" })
      .optional()
      .describe("For CSV: the error code of the invalid cell."),
  })
  .meta({ id: "SkippedPart" });
export type SkippedPart = z.infer<typeof SkippedPart>;

const Counts = z.object({ create: z.int(), update: z.int(), unchanged: z.int() }).meta({ id: "ImportCounts" });

/** Counts by outcome. */
export const HostCounts = Counts.extend({ failed: z.int() }).meta({ id: "ImportHostCounts" });

export const ImportSummary = z
  .object({
    subnets: z.object({ create: z.int(), existing: z.int(), failed: z.int() }),
    hosts: HostCounts,
    interfaces: Counts.extend({ superseded: z.int().describe("Deleted from other hosts.") }).meta({
      id: "ImportInterfaceCounts",
    }),
    ports: Counts,
    services: Counts,
    dependencies: HostCounts.extend({
      not_made: z
        .object({
          loopback: z.int(),
          broadcast: z.int(),
          unknown_host: z.int(),
          unclear: z.int().describe("It is not clear which end is the client, or which host it is."),
        })
        .meta({ id: "ImportNotMade" })
        .describe("Connections of which no dependency is made, by reason."),
    })
      .meta({ id: "ImportDependencyCounts" })
      .optional()
      .describe("Absent from plans of jobs before imports made dependencies."),
    vlans: z
      .object({ create: z.int(), existing: z.int() })
      .optional()
      .describe("Absent from plans of jobs before links were imported."),
    links: HostCounts.optional().describe("Absent from the same plans."),
    missing: MissingCounts,
    skipped: z.int().describe("Total number skipped, including parts not listed in `skipped`."),
    unanswered: z.int().describe("Hosts assumed to be up (`-Pn`) that did not respond; they are not created."),
  })
  .describe("Failed hosts count only as failed; their children are not counted.")
  .meta({ id: "ImportSummary" });
export type ImportSummary = z.infer<typeof ImportSummary>;

const ImportedColumn = z
  .object({
    heading: z.string(),
    meaning: z
      .string()
      .nullable()
      .describe("A meaning as in the parameter `columns`; null if nothing is made of the column."),
    given: z.boolean().describe("Whether the request says so."),
  })
  .meta({ id: "ImportedColumn" });
export type ImportedColumn = z.infer<typeof ImportedColumn>;

/** The members are streamed in this order during the import, so the summary is last. */
export const ImportPlan = z
  .object({
    dry_run: z.boolean(),
    network_id: Id,
    format: z.string().describe("The format the file was parsed as."),
    scan: ImportedScan,
    complete: z.boolean().describe("False if the scan is truncated; its complete parts are imported."),
    broke_off: Ending.nullable(),
    covered: z
      .object({ addresses: z.array(z.string()), ports: z.array(z.string()) })
      .describe("The addresses and ports for which the absence of a finding counts as missed."),
    columns: z.array(ImportedColumn).optional().describe("For tables: what each column was taken for, in their order."),
    subnets: z.array(ImportedSubnet),
    hosts: z.array(ImportedHost),
    dependencies: z
      .array(ImportedDependency)
      .optional()
      .describe("What the machines of the file are connected to; absent from plans of jobs before it was told."),
    vlans: z.array(ImportedVlan).optional().describe("Absent from plans of jobs before links were imported."),
    links: z
      .array(ImportedLink)
      .optional()
      .describe("Links that devices tell, between hosts of the file and others. Absent from the same plans."),
    missing: z.array(Missing).describe("Covered entities that were not found; the first 10,000. They are not deleted."),
    skipped: z.array(SkippedPart).describe("Parts of the file that were not imported, and why; the first 10,000."),
    summary: ImportSummary,
  })
  .meta({ id: "ImportPlan" });
export type ImportPlan = z.infer<typeof ImportPlan>;

const common = {
  method: "post",
  upstream: "topology",
  credential: "any",
  permission: "Member",
  tag: "Imports",
} as const;

/** Maximum columns that a request explains. */
export const MOST_SAID_COLUMNS = 100;

const LIMITS = { limitBytes: 20_971_520, jobLimitBytes: 33_554_432 };

const query = {
  network_id: Id.describe("The network to import into."),
  dry_run: z.boolean().default(false).describe("Report what would be done, without writing."),
  subnet_hint: z
    .array(Cidr)
    .max(100)
    .default([])
    .describe("Blocks for subnets to create, preferred over the /24 or /64 of an address."),
  seen_at: Instant.optional().describe("When the file was created, for sightings; default now."),
};

const results = {
  response: ImportPlan,
  accepted: ImportJob,
  errors: ["invalid_reference", "too_many_subnets", "import_too_expensive"],
} as const;

const AS_JOB =
  "With `Prefer: respond-async`, the response is 202 with a job as soon as the file has been received, and the plan is part of the job.";

export const importNmap = endpoint({
  ...common,
  operationId: "import_nmap",
  collects: true,
  path: "/api/v1/imports/nmap",
  summary: "Import the XML output of `nmap -oX`",
  description:
    "Hosts are matched by MAC address, then by IP address. Missing entities are added and nothing is overwritten, so importing " +
    "the same file again changes nothing. An address found on another host moves there; nothing else is ever deleted. New " +
    "hosts are created many at a time and reported as soon as they are committed; a host that fails does not stop the others. " +
    AS_JOB,
  query: z.strictObject(query),
  ...upload({
    contentTypes: [BYTES, "application/xml", "text/xml"],
    ...LIMITS,
    description: "XML output of `nmap -oX`, or gzip of it.",
  }),
  ...results,
});

const ImportFormat = z.enum(IMPORT_FORMATS).meta({ id: "ImportFormat" });

export const importFile = endpoint({
  ...common,
  operationId: "import_file",
  collects: true,
  path: "/api/v1/imports/{format}",
  summary: "Import a file from another tool",
  description:
    "Same rules and response as the nmap import. `auto` detects the format from the content. Some formats describe one host " +
    "without identifying it; for these, pass `host_id` or `hostname`. " +
    AS_JOB,
  params: z.object({ format: ImportFormat }),
  query: z.strictObject({
    ...query,
    host_id: Id.optional().describe("The host that the file describes."),
    hostname: label(1, HOSTNAME_LIMIT)
      .optional()
      .describe(
        "The host name of the host that the file describes; created if neither the name nor an address matches one.",
      ),
    resource: CsvTable.optional().describe("The kind of rows in a CSV table; by default detected from the headings."),
    columns: z
      .array(text(3, 200).refine((written) => saidColumn(written) !== null, "must be `heading=meaning`"))
      .max(MOST_SAID_COLUMNS)
      .default([])
      .describe(
        "What columns of a CSV table mean, as `heading=meaning`; for the others, their headings say it. A meaning is one of " +
          `${COLUMN_MEANINGS.map((meaning) => `\`${meaning}\``).join(", ")}, or \`attributes_key\`. ` +
          "Headings that the table does not have are without effect.",
      ),
  }),
  ...upload({
    contentTypes: [BYTES, "application/json", "text/csv", "application/xml", "text/xml"],
    ...LIMITS,
    description: "The file, or gzip of it.",
  }),
  ...results,
});
