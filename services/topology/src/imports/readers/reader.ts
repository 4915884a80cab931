import type { CsvResource, SaidColumn } from "@nts/shared/contract/import-formats";
import type { NamedMachine } from "../recognition.js";
import type { Scan } from "../scan.rules.js";

// A reader is a pure function from a file to sightings of hosts, without network or database. Recognition, preview and
// plan are common to all readers.

/** Input of a reader besides the file. */
export interface ReaderGiven {
  /** Arrival of the file, in milliseconds; expired entries are skipped. */
  readonly nowMs: number;
  /** The kind of rows of a table, if the request specifies it. */
  readonly resource?: CsvResource | null;
  /** What the request says of the columns of a table. */
  readonly columns?: readonly SaidColumn[];
  /** The name of the network that is imported into. */
  readonly network?: string;
  /** The machine of the file, if the request names it. */
  readonly named?: NamedMachine | null;
}

export interface Reader {
  readonly format: string;
  /** True if a file that starts like this probably has this format. @param beginning without leading white space */
  looksLike(beginning: string, given?: Pick<ReaderGiven, "columns">): boolean;
  /** @throws AppError `validation_failed` with the place */
  read(bytes: Iterable<Uint8Array>, given: ReaderGiven): Scan;
}
