import { ARCHIVE_MARK, ARCHIVE_VERSION, type Archived } from "@nts/shared/contract/archives";

// Formats the lines of an archive. @see docs/archives.md

export type Counts = Readonly<Record<Archived, number>>;

export const NO_COUNTS: Counts = { Tag: 0, Network: 0, Subnet: 0, Host: 0, Interface: 0, Port: 0, Service: 0 };

/** The first line. */
export interface Heading {
  readonly organization_id: string;
  /** All changes up to this cursor are in the archive; later ones may be. */
  readonly changes_cursor: string;
  /** `some` if the exporting caller was limited to some networks. */
  readonly networks: "all" | "some";
}

export function headingLine({ organization_id, changes_cursor, networks }: Heading): string {
  const heading = { archive: ARCHIVE_MARK, version: ARCHIVE_VERSION, organization_id, changes_cursor, networks };
  return `${JSON.stringify(heading)}\n`;
}

/** @param json the entity as in API responses, without sightings */
export function entityLine(kind: Archived, json: string): string {
  return `{"entity":"${kind}","data":${json}}\n`;
}

/** @param sha256 of all preceding lines, in hexadecimal */
export function endLine(counts: Counts, sha256: string): string {
  return `${JSON.stringify({ end: true, counts, sha256 })}\n`;
}
