// What can be imported beside the XML of nmap, which has an operation of its own.

/** Formats of files; `auto` is whatever the content says, the XML of nmap among them. */
export const IMPORT_FORMATS = ["auto", "ss", "ip-neigh", "docker", "dhcp-leases"] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Those in which a machine tells of itself without saying which one it is. */
const OF_A_HOST: ReadonlySet<ImportFormat> = new Set(["auto", "ss", "docker"]);

/** Whether the request may say which machine a file of the format is from. */
export function takesHost(format: ImportFormat): boolean {
  return OF_A_HOST.has(format);
}
