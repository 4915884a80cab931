import type { CsvResource } from "@nts/shared/contract/import-formats";
import type { Scan } from "../scan.rules.js";

// What is read is told apart from what is made of it: a reader is a pure function from the bytes of a file to sightings of
// hosts, and knows neither the network nor the database. Recognition, preview and plan are the same for all of them.

/** What a reader is told beside the file. */
export interface ReaderGiven {
  /** When the file came, in milliseconds: what has expired by then is left out. */
  readonly nowMs: number;
  /** What the rows of a table are, where the request says it. */
  readonly resource?: CsvResource | null;
}

export interface Reader {
  readonly format: string;
  /** True when a file that begins like this is probably of this format. @param beginning without white space in front */
  looksLike(beginning: string): boolean;
  /** @throws AppError `validation_failed` with the place */
  read(bytes: Iterable<Uint8Array>, given: ReaderGiven): Scan;
}
