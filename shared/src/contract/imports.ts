import { z } from "zod";
import { Id, Instant, text, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { HOSTNAME_LIMIT } from "./formats.js";
import { CELL_FAULTS, CSV_RESOURCES, IMPORT_FORMATS } from "./import-formats.js";
import { PROTOCOLS } from "./ports.js";
import { Missing, MissingCounts } from "./sightings.js";
import { Cidr } from "./subnets.js";
import { upload } from "./upload.js";

// An import answers a plan: what it would do (`dry_run`), or what it has done, in the same form.

const Line = z.int().describe("Line of the file, from 1; of a list in JSON, the number of the entry.");

/** What an import does with something that the file names; `unchanged` was there already. */
const Action = z.enum(["create", "update", "unchanged"]);
const id = Id.nullable().describe("Null for what a dry run would create.");

/** Where the file ends before its scan does. */
const Ending = z
  .object({ line: Line, column: z.int(), reason: z.string() })
  .describe("Where and how the file ends early, or null.");

export const ImportedScan = z
  .object({
    scanner: z.string(),
    version: z.string().nullable(),
    args: z.string().nullable().describe("The command line of the scan."),
    started_at: Timestamp.nullable(),
  })
  .meta({ id: "ImportedScan" });
export type ImportedScan = z.infer<typeof ImportedScan>;

/** Why something was not done. */
const Refusal = z.object({ code: z.string(), message: z.string() }).meta({ id: "ImportRefusal" });

export const ImportedSubnet = z
  .object({
    action: z.enum(["create", "existing", "failed"]),
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

const portOf = { protocol: z.enum(PROTOCOLS), number: z.int() };
const ImportedPort = z.object({ action: z.enum(["create", "unchanged"]), id, ...portOf }).meta({ id: "ImportedPort" });

/** What a service definition was guessed from. */
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
      .nullable()
      .describe("What the definition is a guess from: the product or the service that the scan names, or the port."),
    bindings: z
      .array(z.object({ ip_address: z.string().describe("`*` stands for all addresses of the host."), ...portOf }))
      .describe("Where it was seen: a port on an interface, or on all of them."),
  })
  .meta({ id: "ImportedService" });

/** A member of something that was there: null stands for nothing. */
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

export const ImportedHost = z
  .object({
    line: Line,
    action: z.enum(["create", "update", "unchanged", "failed"]),
    id,
    matched_by: z
      .enum(["mac_address", "ip_address"])
      .nullable()
      .describe("How a host that was there was recognized; null where its name told, or the request."),
    name: z.string(),
    hostname: z.string().nullable(),
    interfaces: z.array(ImportedInterface),
    ports: z.array(ImportedPort),
    services: z.array(ImportedService),
    changes: z.array(ImportedChange).describe("What changes on a host that was there, beside what is new on it."),
    superseded: z
      .array(SupersededInterface)
      .describe("Interfaces of other hosts that had an address of this one; they are removed with their bindings."),
    joined: z
      .object({ id: Id, name: z.string() })
      .nullable()
      .describe("Another host, of which no more was known than the addresses of this one; it is deleted."),
    error: Refusal.nullable().describe("Why it failed; nothing of it was written then."),
  })
  .meta({ id: "ImportedHost" });
export type ImportedHost = z.infer<typeof ImportedHost>;

export const SkippedPart = z
  .object({
    line: Line,
    what: z.string(),
    reason: z.string(),
    column: z.string().optional().describe("Of a table: the heading of the cell that is at fault."),
    code: z.enum(CELL_FAULTS).optional().describe("Of a table: what is wrong with it."),
  })
  .meta({ id: "SkippedPart" });
export type SkippedPart = z.infer<typeof SkippedPart>;

const Counts = z.object({ create: z.int(), update: z.int(), unchanged: z.int() }).meta({ id: "ImportCounts" });

/** Of what is counted by what becomes of it. */
export const HostCounts = Counts.extend({ failed: z.int() }).meta({ id: "ImportHostCounts" });

export const ImportSummary = z
  .object({
    subnets: z.object({ create: z.int(), existing: z.int(), failed: z.int() }),
    hosts: HostCounts,
    interfaces: Counts.extend({ superseded: z.int().describe("Removed from other hosts.") }).meta({
      id: "ImportInterfaceCounts",
    }),
    ports: z.object({ create: z.int(), unchanged: z.int() }),
    services: Counts,
    missing: MissingCounts,
    skipped: z.int().describe("All that was skipped, also what `skipped` does not list."),
    unanswered: z
      .int()
      .describe(
        "Hosts that the scanner was told to take as up (`-Pn`) and that answered nothing; they are not created.",
      ),
  })
  .describe("What is counted of hosts that failed is only that they did.")
  .meta({ id: "ImportSummary" });
export type ImportSummary = z.infer<typeof ImportSummary>;

/** The members stand in this order: what an import does is told as it is done, and the summary comes last. */
export const ImportPlan = z
  .object({
    dry_run: z.boolean(),
    network_id: Id,
    format: z.string().describe("What the file was read as."),
    scan: ImportedScan,
    complete: z.boolean().describe("False when the scan was cut off; what was complete of it counts."),
    broke_off: Ending.nullable(),
    covered: z
      .object({ addresses: z.array(z.string()), ports: z.array(z.string()) })
      .describe("Where the file would have told of what is there."),
    subnets: z.array(ImportedSubnet),
    hosts: z.array(ImportedHost),
    missing: z.array(Missing).describe("What was covered and not found; the first 10,000. It stays."),
    skipped: z.array(SkippedPart).describe("What of the file was not imported and why; the first 10,000."),
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

const LIMIT_BYTES = 20_971_520;

const query = {
  network_id: Id.describe("The network that the file is about."),
  dry_run: z.boolean().default(false).describe("Only answer what would be done."),
  subnet_hint: z
    .array(Cidr)
    .max(100)
    .default([])
    .describe("Blocks for subnets to create, before the /24 or /64 around an address is taken."),
  seen_at: Instant.optional().describe("When the file was made, for what is seen and missed; now unless given."),
};

const answers = {
  response: ImportPlan,
  errors: ["invalid_reference", "too_many_subnets", "import_too_expensive"],
} as const;

export const importNmap = endpoint({
  ...common,
  operationId: "import_nmap",
  path: "/api/v1/imports/nmap",
  summary: "Import the file that `nmap -oX` writes",
  description:
    "Hosts are recognized by MAC address, else by address. What is missing is added, and nothing is overwritten: the same " +
    "file again changes nothing. An address that is seen at another host than before moves there; nothing else is ever " +
    "removed. Each host is one transaction, and is answered as soon as it is done; one that fails does not stop the " +
    "others. With `dry_run` nothing is written and the answer is the same.",
  query: z.strictObject(query),
  ...upload({
    contentTypes: ["application/xml", "text/xml"],
    limitBytes: LIMIT_BYTES,
    description: "The XML that `nmap -oX` writes, in UTF-8.",
  }),
  ...answers,
});

export const importFile = endpoint({
  ...common,
  operationId: "import_file",
  path: "/api/v1/imports/{format}",
  summary: "Import what other tools know of a network",
  description:
    "As the import of a scan by nmap, with the same rules and the same answer. `auto` takes the format from the content. " +
    "Some files are what a machine tells of itself without saying which one it is: there, `host_id` or `hostname` does.",
  params: z.object({ format: z.enum(IMPORT_FORMATS) }),
  query: z.strictObject({
    ...query,
    host_id: Id.optional().describe("The machine that the file is from."),
    hostname: text(1, HOSTNAME_LIMIT)
      .optional()
      .describe(
        "The same by its host name; a host is created where none has it, and no address tells which one it is.",
      ),
    resource: z
      .enum(CSV_RESOURCES)
      .optional()
      .describe("What the rows of a table are; its headings tell when this is absent."),
  }),
  ...upload({
    contentTypes: ["application/octet-stream", "application/json", "text/csv", "application/xml", "text/xml"],
    limitBytes: LIMIT_BYTES,
    description: "The file, in UTF-8.",
  }),
  ...answers,
});
