/** What readers make of files, as texts to compare. */
import { AppError, type Fault } from "@nts/shared/errors";
import type { Reader, ReaderGiven } from "../readers/reader.js";
import type { Scan } from "../scan.rules.js";
import { createMemoryNetwork } from "./network.js";
import { servicesOf } from "./sightings.js";

/** The moment at which files of tests are read. */
export const NOW_MS = Date.parse("2026-02-16T09:30:00.000Z");

const bytesOf = (file: string | Uint8Array): Uint8Array => (typeof file === "string" ? Buffer.from(file) : file);

export function read(reader: Reader, file: string | Uint8Array, given: Partial<ReaderGiven> = {}): Scan {
  return reader.read([bytesOf(file)], { nowMs: NOW_MS, ...given });
}

/** Why a file is refused; nothing when it is taken. @throws what is no documented refusal */
export function faultsOf(reader: Reader, file: string | Uint8Array): readonly Fault[] {
  try {
    read(reader, file);
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "validation_failed") throw error;
    return error.params["errors"] as Fault[];
  }
}

/** Place and reason of a refusal; null when the file is taken. */
export function refusalOf(reader: Reader, file: string | Uint8Array): string | null {
  const [fault] = faultsOf(reader, file);
  return fault === undefined ? null : `${fault.path}: ${fault.message}`;
}

/** What a reader leaves out of a file, with lines and reasons. */
export function skippedIn(reader: Reader, file: string | Uint8Array): string[] {
  return read(reader, file).skipped.listed.map(({ line, what, reason }) => `${line} ${what}: ${reason}`);
}

/** What an empty network holds after imports: a line for each host, such as `nas [10.0.0.2]: SSH: 22/Tcp@all`. */
export function importedFrom(files: readonly (readonly [file: string | Uint8Array, hostname?: string])[]): string[] {
  const network = createMemoryNetwork();
  for (const [file, hostname] of files)
    network.importFile(bytesOf(file), false, hostname === undefined ? {} : { hostname });
  return [...network.hosts.values()].map((host) => {
    const { entity } = host.host;
    const addresses = host.interfaces.map(({ entity: one }) =>
      [one.ip_address, one.mac_address].filter(Boolean).join(" "),
    );
    return `${entity.name} [${addresses.sort().join(", ")}]: ${servicesOf(host).sort().join(" · ")}`;
  });
}
