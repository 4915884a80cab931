import { SaxesParser } from "saxes";
import { type AppError, validationFailed } from "@nts/shared/errors";

// Streaming XML. Rejects malformed input and anything an attacker could use: document types with declarations, custom
// entities, deep nesting. Other document types, such as nmap's, are ignored, and what they refer to is not read. Truncated
// input is not an error: what came before has been delivered.

export const DEPTH_LIMIT = 32;
export const NAME_LIMIT = 100;
export const ATTRIBUTE_LIMIT = 100;

/** Maximum code points of an attribute; the longest are outputs of scripts. */
const VALUE_LIMIT = 1_048_576;

/** Maximum code units of a text that is passed on; a certificate has a few thousand. */
const TEXT_LIMIT = 32_768;

/** XML's five entities; the parser's own table also finds inherited properties. */
const ENTITIES: Record<string, string> = { amp: "&", gt: ">", lt: "<", quot: '"', apos: "'" };

/** Root elements of documents that people have instead, with advice. */
const FOREIGN_ROOTS: ReadonlyMap<string, string> = new Map([
  ["NessusClientData", "is a report of Nessus, which is not read: export its hosts as CSV, or scan with nmap -oX"],
  ["NessusClientData_v2", "is a report of Nessus, which is not read: export its hosts as CSV, or scan with nmap -oX"],
  ["report", "is a report of OpenVAS, which is not read: export its hosts as CSV, or scan with nmap -oX"],
  ["html", "is a web page: save its table as CSV, or import the XML of nmap -oX that it was made from"],
  ["SCAN", "is a report of Qualys, which is not read: export its hosts as CSV, or scan with nmap -oX"],
  ["NexposeReport", "is a report of Nexpose, which is not read: export its hosts as CSV, or scan with nmap -oX"],
  ["Workbook", "is an Excel workbook in XML: save the sheet as CSV"],
  ["domain", "is a definition of libvirt, which is not read: import a neighbour table or a scan"],
]);

/** Attributes by name; absent ones are undefined. */
export type Attributes = Readonly<Partial<Record<string, string>>>;

/** Handles a document. `path` is the names of the elements from the root, joined with `/`. */
export interface XmlListener {
  opens(path: string, attributes: Attributes, line: number): void;
  closes(path: string): void;
  /** Text inside an element, without white space at its ends; cut where it is long. */
  text?(path: string, text: string): void;
}

/** Where and how a document is truncated. */
export interface Ending {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

export interface XmlReader {
  /** @throws AppError `validation_failed` with line and column */
  write(text: string): void;
  /** Ends the input. @returns null if complete @throws AppError `validation_failed` if it was empty */
  end(): Ending | null;
  /** An error at the current position. */
  faultHere(message: string): AppError;
}

/**
 * Creates a reader of one document.
 *
 * @param root the required root element
 * @param firstLine the line of the file on which it begins
 */
export function createXmlReader(root: string, listener: XmlListener, firstLine = 1): XmlReader {
  const parser = new SaxesParser();
  parser.ENTITIES = Object.assign(Object.create(null) as object, ENTITIES);
  /** Names of the open elements, and the path of each. */
  const open: string[] = [];
  const paths: string[] = [];
  let line = 1;
  let attributeCount = 0;
  let ending: Ending | null = null;
  let isEnding = false;

  const lineHere = (): number => firstLine - 1 + parser.line;
  const faultHere = (message: string): AppError =>
    validationFailed({ path: `line ${lineHere()}, column ${parser.column + 1}`, message });

  parser.on("error", (error) => {
    // Its message starts with the position.
    const message = error.message.replace(/^[\d:]+ /, "").replace(/\.$/, "");
    if (!isEnding || open.length === 0) throw faultHere(message);
    ending ??= { line: lineHere(), column: parser.column + 1, reason: `the file ends inside <${open.at(-1)}>` };
  });
  parser.on("doctype", (text) => {
    if (text.includes("[")) throw faultHere("must not declare anything in its document type");
  });
  parser.on("opentagstart", ({ name }) => {
    line = lineHere();
    attributeCount = 0;
    if (name.length > NAME_LIMIT) throw faultHere(`the name of an element must not exceed ${NAME_LIMIT} characters`);
    if (open.length === 0 && name !== root)
      throw faultHere(
        FOREIGN_ROOTS.get(name) ??
          `must be a <${root}> element, as nmap -oX writes it; of other programs, export the machines as CSV`,
      );
    if (open.length === DEPTH_LIMIT) throw faultHere(`must not be nested deeper than ${DEPTH_LIMIT} levels`);
    const parent = paths.at(-1);
    open.push(name);
    paths.push(parent === undefined ? name : `${parent}/${name}`);
  });
  parser.on("attribute", ({ name, value }) => {
    if (name.length > NAME_LIMIT) throw faultHere(`the name of an attribute must not exceed ${NAME_LIMIT} characters`);
    if (++attributeCount > ATTRIBUTE_LIMIT)
      throw faultHere(`an element must not have more than ${ATTRIBUTE_LIMIT} attributes`);
    if (value.length > VALUE_LIMIT) throw faultHere(`the attribute ${name.slice(0, 50)} is too long`);
  });
  parser.on("opentag", ({ attributes }) => {
    listener.opens(paths.at(-1) ?? "", attributes, line);
  });
  parser.on("text", (text) => {
    const trimmed = text.slice(0, TEXT_LIMIT).trim();
    if (trimmed !== "") listener.text?.(paths.at(-1) ?? "", trimmed);
  });
  parser.on("closetag", () => {
    listener.closes(paths.pop() ?? "");
    open.pop();
  });

  return {
    faultHere,
    write: (text) => void parser.write(text),
    end: () => {
      isEnding = true;
      parser.close();
      return ending;
    },
  };
}
