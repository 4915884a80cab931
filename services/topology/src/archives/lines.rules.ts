import { ARCHIVE_MARK, ARCHIVE_VERSION } from "@nts/shared/contract/archives";
import { forKinds, KIND_NAMES, type KindName } from "@nts/shared/contract/kinds";

// Formats the lines of an archive. @see docs/archives.md

export type Counts = Readonly<Record<KindName, number>>;

export const NO_COUNTS: Counts = forKinds(KIND_NAMES, () => 0);

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
export function entityLine(kind: KindName, json: string): string {
  return `{"entity":"${kind}","data":${json}}\n`;
}

/** @param sha256 of all preceding lines, in hexadecimal */
export function endLine(counts: Counts, sha256: string): string {
  return `${JSON.stringify({ end: true, counts, sha256 })}\n`;
}
