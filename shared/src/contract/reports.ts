import { z } from "zod";
import { Amount, filters, Id, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { ObservedCertificate } from "./observed.js";
import { Protocol } from "./ports.js";
import { Missing, MissingCounts } from "./sightings.js";

/** Maximum rows per kind of entity. */
export const MOST_GONE = 1_000;

/** A missed entity with the name of its host. */
export const GoneEntity = Missing.extend({ host_name: z.string() }).meta({ id: "GoneEntity" });
export type GoneEntity = z.infer<typeof GoneEntity>;

export const Gone = z
  .object({
    before: Timestamp,
    counts: MissingCounts,
    gone: z.array(GoneEntity),
  })
  .meta({ id: "Gone" });
export type Gone = z.infer<typeof Gone>;

export const reportGone = endpoint({
  operationId: "report_gone",
  method: "get",
  path: "/api/v1/reports/gone",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Imports",
  summary: "Report entities that imports have been missing for some days",
  description: `By kind and network, longest missing first; at most ${MOST_GONE} of each.`,
  query: z.strictObject({ days: z.int().min(0).max(3_650).default(21), network_id: filters.network_id }),
  response: Gone,
  errors: [],
});

/** Maximum rows of the report of certificates. */
export const MOST_CERTIFICATES = 1_000;

/** A port whose certificate ends. */
export const EndingCertificate = z
  .object({
    port_id: Id,
    host_id: Id,
    host_name: z.string(),
    network_id: Id,
    number: z.int(),
    protocol: Protocol,
    certificate: ObservedCertificate,
  })
  .meta({ id: "EndingCertificate" });
export type EndingCertificate = z.infer<typeof EndingCertificate>;

export const Certificates = z
  .object({ before: Timestamp, count: z.int(), certificates: z.array(EndingCertificate) })
  .meta({ id: "Certificates" });
export type Certificates = z.infer<typeof Certificates>;

export const reportCertificates = endpoint({
  operationId: "report_certificates",
  method: "get",
  path: "/api/v1/reports/certificates",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Imports",
  summary: "Report ports whose certificate has ended, or ends within some days",
  description: `Soonest first; at most ${MOST_CERTIFICATES}.`,
  query: z.strictObject({ days: z.int().min(0).max(3_650).default(30), network_id: filters.network_id }),
  response: Certificates,
  errors: [],
});

/** The most hosts among which duplicates are looked for: their names are in memory meanwhile. */
export const MOST_COMPARED_HOSTS = 50_000;
/** Maximum groups of hosts that are alike, and hosts that are named of each. */
export const MOST_DUPLICATES = 200;
export const MOST_ALIKE = 10;

/** What hosts have in common, the strongest evidence first. */
const SameMember = z
  .enum(["serial", "mac_address", "ip_address", "duid", "machine_id", "hostname", "name"])
  .meta({ id: "SameMember" });
export type SameMember = z.infer<typeof SameMember>;

const DuplicateHost = z
  .object({
    ...{ id: Id, name: z.string(), hostname: z.string().nullable() },
    addresses: z.array(z.string()).describe("Up to three."),
  })
  .meta({ id: "DuplicateHost" });
export type DuplicateHost = z.infer<typeof DuplicateHost>;

/** Hosts of a network that have something in common that one machine usually has alone. */
const AlikeHosts = z
  .object({
    same: SameMember,
    value: z
      .string()
      .describe("In lower case, if it is a name; a serial number, DUID or machine id as a source wrote it."),
    network_id: Id,
    count: z.int().describe("Hosts that have it."),
    hosts: z.array(DuplicateHost).describe(`The oldest ${MOST_ALIKE} of them.`),
  })
  .meta({ id: "AlikeHosts" });
export type AlikeHosts = z.infer<typeof AlikeHosts>;

export const Duplicates = z
  .object({
    compared: z.int().describe("Hosts that were compared."),
    complete: z.boolean().describe("False if there are more than are listed."),
    duplicates: z.array(AlikeHosts),
  })
  .meta({ id: "Duplicates" });
export type Duplicates = z.infer<typeof Duplicates>;

export const reportDuplicates = endpoint({
  operationId: "report_duplicates",
  method: "get",
  path: "/api/v1/reports/duplicates",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Hosts",
  summary: "Report hosts that may be one machine",
  description:
    "Hosts of a network with the same serial number, MAC address, address, DUID, machine id, host name or name, the strongest evidence first; hosts that are " +
    "alike in several ways are listed once. What many machines have is no evidence: serial numbers that nobody has set, MAC addresses that routers share, " +
    "DUIDs and machine ids of virtual machines and of hosts whose names or serial numbers differ. Neither is what hosts have that people have split. " +
    `At most ${MOST_DUPLICATES}, among up to ${MOST_COMPARED_HOSTS} hosts.`,
  query: z.strictObject({ network_id: filters.network_id }),
  response: Duplicates,
  errors: [],
});

/** The most subnets in a report of their utilization: each takes reads of its own. */
export const MOST_UTILIZED = 50;

/** How much of a subnet is used. */
export const SubnetUse = z
  .object({
    subnet_id: Id,
    size: Amount.describe("Assignable addresses; exact, even above 2^53."),
    used: Amount.describe("Addresses assigned to interfaces."),
    reserved: Amount.describe("Reserved addresses that are not used."),
    free: Amount,
  })
  .meta({ id: "SubnetUse" });
export type SubnetUse = z.infer<typeof SubnetUse>;

export const reportUtilization = endpoint({
  operationId: "report_utilization",
  method: "get",
  path: "/api/v1/reports/utilization",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Subnets",
  summary: "Report the number of used, reserved and free addresses of several subnets",
  description: `Those that exist and are visible to the caller, of up to ${MOST_UTILIZED}.`,
  query: z.strictObject({ ids: z.array(Id).max(MOST_UTILIZED).default([]).describe("The subnets.") }),
  response: z.object({ subnets: z.array(SubnetUse) }).meta({ id: "Utilizations" }),
  errors: [],
});
