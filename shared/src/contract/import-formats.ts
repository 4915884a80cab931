// What can be imported beside the XML of nmap, which has an operation of its own.

/** Formats of files; `auto` is whatever the content says, the XML of nmap among them. */
export const IMPORT_FORMATS = [
  "auto",
  "ss",
  "ip-neigh",
  "docker",
  "dhcp-leases",
  "proxmox",
  "ansible-facts",
  "csv",
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Those in which a machine tells of itself without saying which one it is. */
const OF_A_HOST: ReadonlySet<ImportFormat> = new Set(["auto", "ss", "docker"]);

/** What the rows of a table may be. */
export const CSV_RESOURCES = ["hosts", "interfaces", "ports", "services"] as const;
export type CsvResource = (typeof CSV_RESOURCES)[number];

/** What may be wrong with a cell of a table. */
export const CELL_FAULTS = [
  "missing_address",
  "not_an_address",
  "unusable_address",
  "too_many_addresses",
  "not_a_mac_address",
  "not_a_port",
  "unknown_protocol",
  "too_many_rows",
] as const;
export type CellFault = (typeof CELL_FAULTS)[number];

/** Whether the request may say what the rows of a file of the format are. */
export function takesResource(format: ImportFormat): boolean {
  return format === "auto" || format === "csv";
}

/** Whether the request may say which machine a file of the format is from. */
export function takesHost(format: ImportFormat): boolean {
  return OF_A_HOST.has(format);
}
