// What is wrong with the lines of an archive.

/** Faults that are told; behind the last one nothing is read. */
export const MOST_ARCHIVE_FAULTS = 100;

export type FaultCode =
  | "not_an_archive"
  | "unsupported_version"
  | "line_too_long"
  | "malformed_json"
  | "validation_failed"
  | "unknown_entity"
  | "out_of_order"
  | "repeated_id"
  | "invalid_reference"
  | "network_mismatch"
  | "ip_outside_subnet"
  | "already_exists"
  | "binding_cross_host"
  | "binding_conflict"
  | "too_many"
  | "cut_off"
  | "wrong_counts"
  | "wrong_checksum";

export interface LineFault {
  readonly path: string;
  readonly code: FaultCode;
  readonly message: string;
}

/** Thrown where nothing behind it is looked at. */
export class Stop extends Error {
  override readonly name = "Stop";
}

export interface Faults {
  /** @returns the number of the line that begins, from 1 */
  nextLine(): number;
  /** Adds one of the present line. @throws Stop when there are enough of them */
  add(code: FaultCode, message: string, path?: string): void;
  /** @throws Stop */
  stop(code: FaultCode, message: string): never;
  isClean(): boolean;
  /** The params of `archive_invalid`. */
  told(): { faults: readonly (LineFault & { readonly line: number })[]; more: boolean };
}

export function createFaults(): Faults {
  const faults: (LineFault & { line: number })[] = [];
  let line = 0;
  const add: Faults["add"] = (code, message, path = "") => {
    faults.push({ line, path, code, message });
    if (faults.length >= MOST_ARCHIVE_FAULTS) throw new Stop();
  };
  return {
    nextLine: () => ++line,
    add,
    stop: (code, message) => {
      add(code, message);
      throw new Stop();
    },
    isClean: () => faults.length === 0,
    told: () => ({ faults, more: faults.length >= MOST_ARCHIVE_FAULTS }),
  };
}
