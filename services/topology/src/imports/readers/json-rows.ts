import { UNKNOWN_MAC } from "@nts/shared/contract/import-formats";
import { documentsIn } from "./documents.js";
import { type Column, columnsOf, headingKey, type Said } from "./headings.rules.js";
import { isObject, type JsonObject } from "./json.js";
import { MOST_CELLS, type Row } from "./rows.js";
import { addressIn } from "./texts.js";

// Tables as JSON, as programming interfaces answer, and `ConvertTo-Json` writes: objects with an address, whose keys are
// read as the headings of a table are. They may lie in other objects, as in `{"data": {"clients": […]}}`.

/** Objects within objects. */
const MOST_DEPTH = 8;
/** Keys that are looked at to recognize a file. */
const MOST_KEYS = 2_000;
/** What stands for an object in the cell of its key: `"primary_ip": {"address": …}`, `"status": {"value": …}`. */
const STANDING_FOR = ["address", "value", "name", "label", "display"] as const;
/** Members that describe the addresses of the object that has them. */
const OF_ADDRESSES =
  /^(?:(?:(?:network|net|ethernet)_?)?(?:interfaces?|adapters?|cards?)|nics?|networks?|(?:private|public)_net|ports|(?:ip_?)?address(?:es)?|ips)$/;
/** Those of them that have the addresses of a machine, though they may lie in another member of it: `"state": {"network": {…}}`. */
const OF_CARDS = /^(?:(?:network|net|ethernet)_?)?(?:interfaces?|adapters?|cards?)$|^nics?$|^network$/;
/** Those of them whose names are of the machine, and not of a card. */
const NAMED_ADDRESSES = /^(?:(?:ip_?)?address(?:es)?|ips)$/;
/** One of these tells whose the address is. */
const WHOSE: readonly Column[] = ["mac", "hostname", "host", "name", "device"];

/** Cells by key. */
type Cells = ReadonlyMap<string, string>;

/** True if a file that starts like this is JSON with objects whose keys name an address, and whose it is. */
export function hasJsonRows(beginning: string, meanings: Said): boolean {
  if (!/^[[{]/.test(beginning)) return false;
  const keys = new Set<string>();
  for (const [, key = ""] of beginning.matchAll(/"([^"\\\n]{1,61})"\s*:/g)) if (keys.add(key).size === MOST_KEYS) break;
  const columns = columnsOf([...keys], meanings);
  return columns.includes("address") && columns.some((column) => column !== null && WHOSE.includes(column));
}

/** The rows of a file, after one with its keys as headings. @throws AppError `validation_failed` with the place */
export function* jsonRows(bytes: Iterable<Uint8Array>, meanings: Said): Generator<Row> {
  const columnOf = rememberedColumns(meanings);
  const indexOf = new Map<string, number>();
  /** A row under the keys that it is the first to have, and others. */
  const rowOf: RowOf = (cells) => {
    const row: string[] = [];
    for (const [key, text] of cells) {
      const index = indexOf.get(key) ?? indexOf.size;
      if (index === MOST_CELLS) continue;
      indexOf.set(key, index);
      while (row.length <= index) row.push("");
      row[index] = text;
    }
    return row;
  };
  const rows: Row[] = [];
  for (const { line, value } of documentsIn(bytes))
    for (const cells of rowsIn(value, { columnOf, rowOf }, 0)) rows.push({ line, cells });
  yield { line: 1, cells: [...indexOf.keys()] };
  yield* rows;
}

/** Makes a row of cells by key, which take far more memory. */
type RowOf = (cells: Cells) => readonly string[];

interface Making {
  readonly columnOf: ColumnOf;
  readonly rowOf: RowOf;
}

/** What a key alone is. */
type ColumnOf = (key: string) => Column | null;

function rememberedColumns(meanings: Said): ColumnOf {
  const known = new Map<string, Column | null>();
  return (key) => {
    const column = known.get(key) ?? columnsOf([key], meanings)[0] ?? null;
    known.set(key, column);
    return column;
  };
}

/** The innermost objects that have an address and say whose it is; if there are none, the object itself, if it has one. */
function rowsIn(value: unknown, making: Making, depth: number): Row["cells"][] {
  const { columnOf, rowOf } = making;
  if (depth > MOST_DEPTH) return [];
  if (Array.isArray(value)) return rowsInList(value, making, depth);
  if (!isObject(value)) return [];
  const own = cellsOf(value);
  const columns = new Set([...own.keys()].map(columnOf));
  const isMachine = WHOSE.some((column) => columns.has(column));
  const within: Row["cells"][] = [];
  const cards: Cells[] = [];
  const unread: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    const found = isMachine ? cardsAt(key, member, columnOf) : null;
    if (found !== null) cards.push(...found);
    else {
      const rows = rowsIn(member, making, depth + 1);
      for (const row of rows) within.push(row);
      if (rows.length === 0 && !own.has(key) && columnOf(key) === null && isFilled(member)) unread.push(key);
    }
  }
  if (within.length > 0) return within;
  // What is not read is named as a column without cells is.
  for (const key of unread) own.set(key, "");
  const whole = cards.length === 0 ? own : withCards(own, cards, columnOf);
  const has = new Set([...whole.keys()].map(columnOf));
  return has.has("address") && WHOSE.some((column) => has.has(column)) ? [rowOf(whole)] : [];
}

/** The rows of a list. What has none beside others that have some is one as well: it is missed otherwise. */
function rowsInList(list: readonly unknown[], making: Making, depth: number): Row["cells"][] {
  const { columnOf, rowOf } = making;
  const found = list.map((one) => rowsIn(one, making, depth + 1));
  if (found.every((rows) => rows.length === 0)) return [];
  return found.flatMap((rows, index) => {
    const one = list[index];
    if (rows.length > 0 || !isObject(one)) return rows;
    const own = cellsOf(one);
    return [...own.keys()].some((key) => WHOSE.includes(columnOf(key) ?? "address")) ? [rowOf(own)] : [];
  });
}

/** The scalar members of an object, also those of lists, what stands for objects in it, and its tags. */
function cellsOf(object: JsonObject): Map<string, string> {
  const cells = new Map<string, string>();
  for (const [key, value] of Object.entries(object)) {
    const text = textOf(value) ?? namesIn(key, value);
    if (text !== null) cells.set(key, text);
  }
  // As AWS names machines.
  const tags = object["Tags"];
  const name = isList(tags) && tags.find((one) => isObject(one) && one["Key"] === "Name");
  if (isObject(name) && typeof name["Value"] === "string" && !cells.has("Name")) cells.set("Name", name["Value"]);
  return cells;
}

/** Tags that are objects, as their names. */
function namesIn(key: string, value: unknown): string | null {
  if (!/^tags$/i.test(key) || !isList(value) || !value.every(isObject)) return null;
  const texts = value.map(textOf);
  return texts.length === 0 || texts.includes(null) ? null : texts.join(",");
}

/** Whether there is something in a list or an object. */
function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** @returns null for what is no cell */
function textOf(value: unknown): string | null {
  if (value === null) return "";
  if (Array.isArray(value)) {
    const texts = value.map((one) => (isObject(one) || Array.isArray(one) ? null : textOf(one)));
    return texts.includes(null) ? null : texts.join(" ");
  }
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (!isObject(value)) return null;
  const inner = STANDING_FOR.map((name) => (Object.hasOwn(value, name) ? value[name] : undefined));
  const first = inner.find((one) => typeof one === "string" || typeof one === "number");
  return first === undefined ? null : String(first);
}

/** What a member of a machine says of its cards; null if it is of none. */
function cardsAt(key: string, member: unknown, columnOf: ColumnOf): Cells[] | null {
  if (OF_ADDRESSES.test(headingKey(key))) return cardsIn(member, headingKey(key), columnOf);
  if (!isObject(member)) return null;
  const inner = Object.entries(member).find(([name]) => OF_CARDS.test(headingKey(name)));
  const found = inner === undefined ? [] : cardsIn(inner[1], headingKey(inner[0]), columnOf);
  return found.length === 0 ? null : found;
}

/** Objects of addresses, each with the MAC address and the name that it has. @param key of them */
function cardsIn(value: unknown, key: string, columnOf: ColumnOf): Cells[] {
  const isKept = (column: Column | null): boolean =>
    column === "address" ||
    column === "mac" ||
    (NAMED_ADDRESSES.test(key) && column !== null && WHOSE.includes(column));
  const members = Array.isArray(value) ? value : isObject(value) ? [value, ...Object.values(value)] : [];
  return members.flatMap((one) => {
    if (isList(one) && one.length > 0 && one.every(isAddress)) return [new Map([["ip_addresses", one.join(" ")]])];
    if (!isObject(one)) return [];
    const cells = new Map([...cellsOf(one)].filter(([name, text]) => text !== "" && isKept(columnOf(name))));
    if ([...cells.keys()].some((name) => columnOf(name) === "address")) return [cells];
    // A card with a list of its addresses.
    return Object.entries(one).flatMap(([name, member]) =>
      isList(member) && OF_ADDRESSES.test(headingKey(name))
        ? cardsIn(member, headingKey(name), columnOf).map((own) => new Map([...cells, ...own]))
        : [],
    );
  });
}

function isAddress(value: unknown): value is string {
  return typeof value === "string" && addressIn(value) !== null;
}

/** A machine with the addresses of its cards beside its own. */
function withCards(own: Cells, cards: readonly Cells[], columnOf: ColumnOf): Cells {
  const isOfCards = (key: string): boolean => columnOf(key) === "address" || columnOf(key) === "mac";
  const all = (cells: Cells, column: Column): string[] =>
    [...cells].flatMap(([key, text]) => (columnOf(key) === column ? text.split(/[\s,;]+/).filter(Boolean) : []));
  const [ofAll = UNKNOWN_MAC] = all(own, "mac");
  const pairs = new Map<string, string>();
  for (const cells of [...cards, own]) {
    const [mac = ofAll] = all(cells, "mac");
    for (const address of all(cells, "address")) if (!pairs.has(address)) pairs.set(address, mac);
  }
  const names = cards.flatMap((cells) => [...cells].filter(([key]) => !isOfCards(key)));
  return new Map([
    ...names.toReversed(),
    ...[...own].filter(([key]) => !isOfCards(key)),
    ["ip_addresses", [...pairs.keys()].join(" ")],
    ["mac_addresses", [...pairs.values()].join(" ")],
  ]);
}
