import { ARCHIVE_MARK, ARCHIVE_VERSION, type Archived } from "@nts/shared/contract/archives";

// What the lines of an archive look like; see docs/archives.md.

export type Counts = Readonly<Record<Archived, number>>;

/** Of nothing. */
export const NO_COUNTS: Counts = { Tag: 0, Network: 0, Subnet: 0, Host: 0, Interface: 0, Port: 0, Service: 0 };

/** What the first line tells. */
export interface Heading {
  readonly organization_id: string;
  /** Changes behind it are not in the archive, or are in it already. */
  readonly changes_cursor: string;
  /** Whether only some of the networks were visible to who made it. */
  readonly networks: "all" | "some";
}

export function headingLine({ organization_id, changes_cursor, networks }: Heading): string {
  const heading = { archive: ARCHIVE_MARK, version: ARCHIVE_VERSION, organization_id, changes_cursor, networks };
  return `${JSON.stringify(heading)}\n`;
}

/** @param json the entity as it is answered, without what imports have seen of it */
export function entityLine(kind: Archived, json: string): string {
  return `{"entity":"${kind}","data":${json}}\n`;
}

/** @param sha256 of all lines before, in hexadecimal digits */
export function endLine(counts: Counts, sha256: string): string {
  return `${JSON.stringify({ end: true, counts, sha256 })}\n`;
}
