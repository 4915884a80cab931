import { documentsIn } from "./documents.js";
import { beginningOf } from "./lines.js";
import { yamlDocumentsIn } from "./yaml.js";

// Files of programs that print YAML or, if asked, JSON.

/** A value of a file. */
export interface Structured {
  /** Its first line. */
  readonly line: number;
  readonly value: unknown;
  /** The line of an object or list in it; null for JSON, which is read without lines. */
  lineOf(value: object): number | null;
}

/**
 * The values of a file.
 *
 * @param advice what to import instead of YAML that is too long
 * @throws AppError `validation_failed` with line and column
 */
export function* structuredIn(bytes: Iterable<Uint8Array>, advice: string): Generator<Structured> {
  const blocks = [...bytes];
  if (!/^[[{]/.test(beginningOf(blocks))) yield* yamlDocumentsIn(blocks, advice);
  else for (const { line, value } of documentsIn(blocks)) yield { line, value, lineOf: () => null };
}
