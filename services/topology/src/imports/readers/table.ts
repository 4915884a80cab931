import { ATTRIBUTE_KEY } from "@nts/shared/contract/attributes.rules";
import { ATTRIBUTE_COLUMN, type CsvResource, OBSERVED_COLUMN } from "@nts/shared/contract/import-formats";
import { validationFailed } from "@nts/shared/errors";
import type { ImportedColumn } from "@nts/shared/contract";
import {
  type Column,
  columnsOf,
  headingKey,
  LONGEST_HEADING,
  meaningOf,
  type Said,
  withoutPlaceholder,
} from "./headings.rules.js";
import { alignedHeadings } from "./aligned-rows.js";
import { type Line, linesOf } from "./lines.js";
import { BLANKS, isRule, MOST_CELLS, type Row, separatorOf } from "./rows.js";

// Columns of a table, identified by their headings in any order and language.

/** Lines in which headings are looked for; titles may precede them. */
const MOST_TITLES = 20;
/** Written for Excel by other programs. */
const SEPARATOR_LINE = /^\uFEFF?"?sep=(.)"?$/i;
/** Written by PowerShell's `Export-Csv`. */
const TYPE_LINE = /^\uFEFF?#TYPE /;
/** The heading of a column of an attribute. */
const ATTRIBUTE = new RegExp(`^${ATTRIBUTE_COLUMN}(${ATTRIBUTE_KEY})$`);
/** Columns of a list of devices besides name and MAC address or serial number, at least. */
const FEWEST_OF_DEVICES = 2;
const NAMING: readonly Column[] = ["hostname", "host", "name", "device"];
/** Listed headings that are not used. */
const MOST_UNUSED = 20;

interface Heading {
  /** Values of its cells. */
  readonly index: number;
  readonly text: string;
}

/** Headings by column. */
export interface Columns {
  readonly of: ReadonlyMap<Column, readonly Heading[]>;
  /** Columns of attributes, whose keys are their texts. */
  readonly attributes: readonly Heading[];
  /** Columns of our own tables with what sources have observed, which only sources say. */
  readonly observed: readonly Heading[];
  /** Headings of columns that are not used, as written, unless the request says that they are not to be. */
  readonly unused: readonly string[];
  /** All headings with what they are taken for. */
  readonly all: readonly ImportedColumn[];
}

/** Where a table begins. */
export interface Beginning {
  /** The line of the headings. */
  readonly line: number;
  readonly separator: string;
  /** Lines before it that are no titles, but notes of programs to programs. */
  readonly notes: ReadonlySet<number>;
}

/** A row by columns. */
export interface TableRow {
  readonly line: number;
  /** The first non-empty value of the columns with this key. */
  of(column: Column): string;
  /** All values of the columns with this key. */
  all(column: Column): string;
  /** The heading as written, for error messages. */
  heading(column: Column): string;
  /** The cells of attributes that are not empty. */
  readonly attributes: readonly { readonly key: string; readonly cell: string }[];
}

/** Finds the headings: the first line with that of an address, else the first line. */
export function beginningIn(lines: Iterable<Line>, meanings: Said): Beginning {
  let first: Beginning | null = null;
  let announced: string | null = null;
  const notes = new Set<number>();
  for (const { number, text } of lines) {
    if (number > MOST_TITLES) break;
    const named = SEPARATOR_LINE.exec(text)?.[1];
    announced = named ?? announced;
    if (named !== undefined || TYPE_LINE.test(text) || text.trim() === "" || isRule(text)) {
      notes.add(number);
      continue;
    }
    const separator = announced ?? separatorOf(text);
    first ??= { line: number, separator, notes };
    if (hasMachines(columnsIn(bareCells(text, separator), meanings))) return { line: number, separator, notes };
  }
  return first ?? { line: 1, separator: ",", notes };
}

/** True if a file that starts like this has the headings of a table. */
export function hasHeadings(beginning: string, meanings: Said): boolean {
  const lines = beginning.split(/\r?\n/, MOST_TITLES).map((text, at) => ({ number: at + 1, text }));
  const { line, separator } = beginningIn(lines, meanings);
  const { of } = columnsIn(bareCells(lines[line - 1]?.text ?? "", separator), meanings);
  // Neighbour tables of systems are aligned, too; what names machines is more than those.
  const isMore = separator !== BLANKS || NAMING.some((column) => of.has(column));
  return (of.has("address") && of.size > 1 && isMore) || (isOfDevices({ of }) && separator !== BLANKS);
}

/** Whether these are the headings of a table of machines. */
function hasMachines(columns: Pick<Columns, "of">): boolean {
  return columns.of.has("address") || isOfDevices(columns);
}

/** Whether a table is a list of devices, which says what is known of machines but not where they are. */
function isOfDevices({ of }: Pick<Columns, "of">): boolean {
  const isIdentified = of.has("mac") || of.has("serial");
  return !of.has("address") && isIdentified && NAMING.some((column) => of.has(column)) && of.size > FEWEST_OF_DEVICES;
}

export function beginningOfTable(blocks: readonly Uint8Array[], meanings: Said): Beginning {
  return beginningIn(linesOf(blocks), meanings);
}

/** Cells of headings, which contain no separators. */
function bareCells(text: string, separator: string): string[] {
  if (separator === BLANKS) return alignedHeadings(text);
  return text.split(separator, MOST_CELLS).map((cell) => cell.replaceAll('"', ""));
}

export function columnsIn(headings: readonly string[], meanings: Said): Columns {
  const texts = headings.map((heading) =>
    heading
      .replace(/^\uFEFF/, "")
      .slice(0, LONGEST_HEADING)
      .trim(),
  );
  const of = new Map<Column, Heading[]>();
  const attributes: Heading[] = [];
  const observed: Heading[] = [];
  const unused: string[] = [];
  const all: ImportedColumn[] = [];
  for (const [index, column] of columnsOf(texts, meanings).entries()) {
    const text = texts[index] ?? "";
    const meaning = meanings.get(headingKey(text));
    const given = meaning !== undefined;
    const key = ATTRIBUTE.exec(meaning ?? text)?.[1];
    if (key !== undefined) attributes.push({ index, text: key });
    else if (column !== null) of.set(column, [...(of.get(column) ?? []), { index, text }]);
    else if (!given && text.startsWith(OBSERVED_COLUMN)) observed.push({ index, text });
    else if (!given && headingKey(text) !== "") unused.push(text);
    const taken = key === undefined ? column && meaningOf(column) : `${ATTRIBUTE_COLUMN}${key}`;
    if (headingKey(text) !== "") all.push({ heading: text, meaning: taken, given });
  }
  return { of, attributes, observed, unused, all };
}

/** Headings that are not used, for display; null if all are. @param idle columns that mean nothing in these rows */
export function unusedText({ of, unused: foreign }: Columns, idle: readonly Column[]): string | null {
  return columnsText([...foreign, ...idle.flatMap((column) => (of.get(column) ?? []).map(({ text }) => text))]);
}

/** Headings for display; null if there are none. */
export function columnsText(unused: readonly string[]): string | null {
  if (unused.length === 0) return null;
  const more = unused.length > MOST_UNUSED ? ` and ${unused.length - MOST_UNUSED} more` : "";
  return `${unused.length === 1 ? "column" : "columns"} ${unused.slice(0, MOST_UNUSED).join(", ")}${more}`;
}

/** Columns as the plan shows them. @param idle columns that mean nothing in these rows */
export function takenColumns({ of, all }: Columns, idle: readonly Column[]): ImportedColumn[] {
  const unused = new Set(idle.flatMap((column) => (of.get(column) ?? []).map(({ text }) => text)));
  return all.map((one) => (unused.has(one.heading) ? { ...one, meaning: null } : one));
}

/** The kind of rows, if the request does not specify it. */
export function resourceOf({ of }: Columns): CsvResource {
  if (of.has("port")) return of.has("service") || of.has("definition") ? "services" : "ports";
  return of.has("host") && !of.has("hostname") && of.has("name") ? "interfaces" : "hosts";
}

/** True for kinds with ports in their rows. */
export function isOfPorts(resource: CsvResource): boolean {
  return resource === "ports" || resource === "services";
}

/** @throws AppError `validation_failed` with the headings if a required column is missing */
export function requireColumns({ of, all }: Columns, resource: CsvResource, line: number): void {
  const refuse = (message: string): never => {
    const headings = all.map(({ heading }) => heading);
    throw validationFailed({ path: `line ${line}, column 1`, message, code: "missing_column", headings });
  };
  if (!of.has("address") && (resource !== "hosts" || !isOfDevices({ of })))
    refuse("must be headings with one of them `ip_address`");
  if (isOfPorts(resource) && !of.has("port"))
    refuse(`must be headings with one of them \`port\`, as of a table of ${resource}`);
}

export function tableRow({ line, cells }: Row, { of: columns, attributes }: Columns): TableRow {
  const all = (column: Column): string[] =>
    (columns.get(column) ?? []).map(({ index }) => withoutPlaceholder(cells[index] ?? ""));
  return {
    line,
    of: (column) => all(column).find((cell) => cell !== "") ?? "",
    all: (column) => all(column).join(" "),
    heading: (column) => columns.get(column)?.[0]?.text ?? column,
    attributes: attributes.flatMap(({ index, text: key }) => {
      const cell = cells[index] ?? "";
      return cell === "" ? [] : { key, cell };
    }),
  };
}

/** A cell as written, placeholders included. */
export function cellAsWritten({ cells }: Row, { of }: Columns, column: Column): string {
  const index = of.get(column)?.[0]?.index;
  return index === undefined ? "" : (cells[index] ?? "");
}
