/** A file inside of a report. */
export interface ReportedFile {
  /** As imports name it. */
  readonly format: "ss" | "docker" | "kubernetes" | "dhcp-leases" | "nmap" | "proxmox" | "lldp" | "snmp-walk";
  /** Unique in the report. */
  readonly name: string;
  readonly text: string;
}

/** A line of a report has at most 65,536 characters, and one of a text may take six in JSON. */
const CHARACTERS_OF_LINE = 10_000;

/** Its lines in the report. */
export function linesOfFile({ format, name, text }: ReportedFile): object[] {
  const of = Math.max(1, Math.ceil(text.length / CHARACTERS_OF_LINE));
  return Array.from({ length: of }, (_, n) => ({
    file: {
      format,
      name,
      part: n + 1,
      of,
      text: text.slice(n * CHARACTERS_OF_LINE, (n + 1) * CHARACTERS_OF_LINE),
    },
  }));
}
