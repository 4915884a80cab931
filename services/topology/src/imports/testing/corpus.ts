/** Files of each format as their tools write them. */
import { readdirSync, readFileSync } from "node:fs";

export interface CorpusFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The files of a format. */
export function corpusOf(format: string): CorpusFile[] {
  const folder =
    format === "nmap"
      ? new URL("../../../../../test/scans/", import.meta.url)
      : new URL(`../../../src/imports/testing/corpus/${format}/`, import.meta.url);
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, bytes: readFileSync(new URL(name, folder)) }));
}

/** One of them. */
export function corpusFile(format: string, name: string): Uint8Array {
  const file = corpusOf(format).find((one) => one.name.startsWith(`${name}.`));
  if (file === undefined) throw new Error(`there is no ${format}/${name}`);
  return file.bytes;
}
