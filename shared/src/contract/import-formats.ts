import { ATTRIBUTE_KEY } from "./attributes.rules.js";

// Formats that can be imported in addition to nmap XML, which has its own operation.

/** File formats; `auto` detects the format, including nmap XML, from the content. */
export const IMPORT_FORMATS = [
  "auto",
  "report",
  "lldp",
  "snmp-walk",
  "ss",
  "netstat",
  "lsof",
  "ip-neigh",
  "arp",
  "masscan",
  "naabu",
  "docker",
  "compose",
  "kubernetes",
  "dhcp-leases",
  "proxmox",
  "ansible-facts",
  "ansible-inventory",
  "etc-hosts",
  "csv",
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Formats in which people write down what there is; the others are reports of programs. */
const BY_HAND: ReadonlySet<string> = new Set(["csv", "etc-hosts", "ansible-inventory", "compose"]);

/** Whether hosts in a file of a format are known to whoever wrote it. */
export function isWrittenByHand(format: string): boolean {
  return BY_HAND.has(format);
}

/** Begins what is said of a file of none of these formats. */
export const UNRECOGNIZED_FILE = "We don't recognize this file.";

/** Formats whose files describe one host without identifying it. */
const OF_A_HOST: ReadonlySet<ImportFormat> = new Set(["auto", "lldp", "ss", "netstat", "lsof", "docker", "compose"]);

/** Kinds of rows in a CSV table. */
export const CSV_RESOURCES = ["hosts", "interfaces", "ports", "services"] as const;
export type CsvResource = (typeof CSV_RESOURCES)[number];

/** Stands for an unknown MAC address in a list, so that the others keep their places. */
export const UNKNOWN_MAC = "?";

/** Separates the tags in a cell. Within the name of a tag, it, commas and backslashes have a backslash before them. */
export const TAG_SEPARATOR = ";";

/** Begins the heading of a column with the values of an attribute. */
export const ATTRIBUTE_COLUMN = "attributes_";

/** Begins the heading of a column with what sources have observed, which tables are exported with. */
export const OBSERVED_COLUMN = "observed_";

/** What a column of a CSV table can be said to mean; also an attribute, such as `attributes_rack`. */
export const COLUMN_MEANINGS = [
  "ip_address",
  "mac_address",
  "hostname",
  "name",
  "host",
  "description",
  "role",
  "vendor",
  "model",
  "serial",
  "duid",
  "machine_id",
  "os",
  "os_version",
  "port",
  "protocol",
  "service",
  "service_definition",
  "version",
  "all_interfaces",
  "netmask",
  "switch",
  "switch_port",
  "tags",
  "network",
  "id",
  "status",
  "ignore",
] as const;
export type ColumnMeaning = (typeof COLUMN_MEANINGS)[number];

/** What somebody says that a column means. */
export interface SaidColumn {
  readonly heading: string;
  /** A {@link ColumnMeaning}, or the heading of an attribute's column. */
  readonly meaning: string;
}

const MEANING = new RegExp(`^(?:${COLUMN_MEANINGS.join("|")}|${ATTRIBUTE_COLUMN}${ATTRIBUTE_KEY})$`);

/** Parses `Heading=meaning`; null if it is none. The heading may contain the sign. */
export function saidColumn(text: string): SaidColumn | null {
  const at = text.lastIndexOf("=");
  const heading = text.slice(0, Math.max(at, 0)).trim();
  const meaning = text.slice(at + 1).trim();
  return heading !== "" && MEANING.test(meaning) ? { heading, meaning } : null;
}

/** Error codes for cells of a CSV table. */
export const CELL_FAULTS = [
  "missing_address",
  "not_an_address",
  "unusable_address",
  "too_many_addresses",
  "not_a_mac_address",
  "unassigned_mac_addresses",
  "not_a_port",
  "unknown_protocol",
  "too_many_rows",
] as const;
export type CellFault = (typeof CELL_FAULTS)[number];

/** Whether the format accepts the parameter `resource`. */
export function takesResource(format: ImportFormat): boolean {
  return format === "auto" || format === "csv";
}

/** Whether the format accepts the parameters `host_id` and `hostname`. */
export function takesHost(format: ImportFormat): boolean {
  return OF_A_HOST.has(format);
}
