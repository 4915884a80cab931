import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type YAMLError,
} from "yaml";
import { textIn } from "./json.js";
import { faultAt } from "./lines.js";

// YAML files: any number of documents. Their cost is bounded before they are parsed, and an alias is the value of its anchor instead
// of a copy, so that what is read is never larger than its file.

/** Characters of a file: its tree takes fifty times as much memory. */
const MOST_CHARACTERS = 2_000_000;
/** Collections within collections. */
const MOST_DEPTH = 200;
const MOST_DOCUMENTS = 1_000;

// Looking for duplicate keys would take quadratic time.
const OPTIONS = { uniqueKeys: false, merge: false, logLevel: "silent", prettyErrors: false } as const;

export interface YamlDocument {
  /** Its first line. */
  readonly line: number;
  readonly value: unknown;
  /** The line on which an object or list in it begins: that of its key, if it has one. */
  lineOf(value: object): number;
}

interface Converting {
  readonly lines: LineCounter;
  readonly lineOf: WeakMap<object, number>;
  readonly anchors: Map<string, unknown>;
}

/**
 * The documents of a file that are not empty. Merge keys (`<<`) are kept as they are.
 *
 * @param advice what to import instead of a file that is too long
 * @throws AppError `validation_failed` with line and column
 */
export function* yamlDocumentsIn(bytes: Iterable<Uint8Array>, advice: string): Generator<YamlDocument> {
  const text = textIn(Buffer.concat([...bytes]));
  if (text.length > MOST_CHARACTERS)
    throw faultAt(1, `must not have more than ${MOST_CHARACTERS} characters in YAML; ${advice}`);
  const lines = new LineCounter();
  for (const { contents, errors } of parsed(text, lines)) {
    const [error] = errors;
    if (error !== undefined) throw faultIn(error, lines);
    if (contents === null || (isScalar(contents) && contents.value === null)) continue;
    const line = lineAt(contents, lines);
    const converting: Converting = { lines, lineOf: new WeakMap(), anchors: new Map() };
    const value = valueOf(contents, converting);
    yield { line, value, lineOf: (one) => converting.lineOf.get(one) ?? line };
  }
}

/** @throws AppError `validation_failed` if there are too many documents, or collections within each other */
function parsed(text: string, lines: LineCounter): Document.Parsed[] {
  const lexer = new Lexer();
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(OPTIONS);
  const documents: Document.Parsed[] = [];
  const take = (token: CST.Token): void => void documents.push(...composer.next(token));
  const faultHere = (message: string): Error => {
    const { line, col } = lines.linePos(parser.offset);
    return faultAt(line, message, col);
  };
  lines.addNewLine(0);
  // Damaged text has an error every few characters, and stacks would take most of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    for (const lexeme of lexer.lex(text)) {
      for (const token of parser.next(lexeme)) take(token);
      if (parser.stack.length > MOST_DEPTH)
        throw faultHere(`must not have more than ${MOST_DEPTH} collections within each other`);
      if (documents.length > MOST_DOCUMENTS)
        throw faultHere(`an import reads at most ${MOST_DOCUMENTS} documents in YAML`);
    }
    for (const token of parser.end()) take(token);
    documents.push(...composer.end());
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  const [error] = composer.streamInfo().errors;
  if (error !== undefined) throw faultIn(error, lines);
  return documents;
}

function faultIn({ pos, message }: YAMLError, lines: LineCounter): Error {
  const { line, col } = lines.linePos(pos[0]);
  return faultAt(Math.max(line, 1), `is not valid YAML: ${message.slice(0, 200)}`, Math.max(col, 1));
}

/** @throws AppError `validation_failed` at an alias whose anchor does not precede it */
function valueOf(node: Node | null | undefined, converting: Converting): unknown {
  if (isAlias(node)) return anchored(node, converting);
  if (isScalar(node)) return kept(node.anchor, node.value, converting);
  if (isSeq(node))
    return kept(
      node.anchor,
      located(
        node,
        node.items.map((item) => valueOf(item as Node, converting)),
        converting,
      ),
      converting,
    );
  if (!isMap(node)) return null;
  const members = node.items.map(
    ({ key, value }) => [keyOf(key as Node), memberOf(key as Node, value as Node | null, converting)] as const,
  );
  return kept(node.anchor, located(node, Object.fromEntries(members), converting), converting);
}

function anchored(node: { source: string } & Node, { anchors, lines }: Converting): unknown {
  if (anchors.has(node.source)) return anchors.get(node.source);
  const { line, col } = lines.linePos(node.range?.[0] ?? 0);
  throw faultAt(line, `there is no anchor ${node.source.slice(0, 50)} before it`, col);
}

function keyOf(key: Node | null): string {
  return isScalar(key) ? String(key.value) : "";
}

/** A member begins on the line of its key. */
function memberOf(key: Node | null, value: Node | null, converting: Converting): unknown {
  const member = valueOf(value, converting);
  if (typeof member === "object" && member !== null && !isAlias(value)) located(key, member, converting);
  return member;
}

function located<Value extends object>(node: Node | null, value: Value, { lines, lineOf }: Converting): Value {
  if (node !== null) lineOf.set(value, lineAt(node, lines));
  return value;
}

function lineAt(node: Node, lines: LineCounter): number {
  return lines.linePos(node.range?.[0] ?? 0).line;
}

function kept<Value>(anchor: string | undefined, value: Value, { anchors }: Converting): Value {
  if (anchor !== undefined) anchors.set(anchor, value);
  return value;
}
