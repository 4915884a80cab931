// Collects the faults in the lines of an archive.

/** Maximum faults reported; validation stops after the last one. */
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

/** Thrown to stop validation. */
export class Stop extends Error {
  override readonly name = "Stop";
}

export interface Faults {
  /** Starts the next line. @returns its number, from 1 */
  nextLine(): number;
  /** Adds a fault of the current line. @throws Stop if the maximum is reached */
  add(code: FaultCode, message: string, path?: string): void;
  /** @throws Stop */
  stop(code: FaultCode, message: string): never;
  isClean(): boolean;
  /** The params of the error `archive_invalid`. */
  reported(): { faults: readonly (LineFault & { readonly line: number })[]; more: boolean };
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
    reported: () => ({ faults, more: faults.length >= MOST_ARCHIVE_FAULTS }),
  };
}
