/** A file of a source. */
export interface Collected {
  readonly source: string;
  /** The import format. */
  readonly format: "csv" | "ss" | "docker" | "kubernetes" | "ip-neigh" | "dhcp-leases" | "report" | "auto";
  readonly text: string;
  /** The file describes this machine, which must be named. */
  readonly isOwn: boolean;
  readonly resource?: "interfaces";
}

/** What a source has. */
export interface Findings {
  readonly files: readonly Collected[];
  /** Why something that is there was not read, as sentences. */
  readonly unread: readonly string[];
}
