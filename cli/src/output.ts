import Table from "cli-table3";
import { query } from "jsonpath-rfc9535";
import { stringify } from "yaml";
import { ageOf, isMomentText } from "./moments.js";
import { adviceFor } from "./nearest.js";
import { EXIT, Problem } from "./terminal.js";

/** Output formats; besides them there is `jsonpath=` with an expression. */
export const FORMATS = ["table", "wide", "name", "id", "json", "yaml", "csv"] as const;
export const JSONPATH = "jsonpath=";
export type Format = (typeof FORMATS)[number] | `${typeof JSONPATH}${string}`;

type Row = Readonly<Record<string, unknown>>;

/** Table columns in order; shown if rows have them. */
const COLUMNS = [
  ...[
    "name",
    "client",
    "server",
    "ends",
    "vid",
    "speed_mbps",
    "note",
    "service",
    "host",
    "email",
    "cidr",
    "ip_address",
  ],
  ...["mac_address", "hostname", "address", "addresses", "number", "protocol"],
  ...["service_definition", "category", "type", "url", "key", "permissions", "is_enabled", "expires_at", "browser"],
  ...["missed_since", "updated_at"],
];

/** A column that is only there if something is in it. */
const RARE = "missed_since";

/** Columns that only wide tables have. */
const WIDE_COLUMNS = ["network", "role", "vendor", "product", "tags", "description", "created_at", "id"];

export interface FormatOptions {
  /** A single entity was requested. */
  readonly isOne?: boolean;
  readonly hasHeaders?: boolean;
}

/** Formats entities, without a final line break. @throws Problem for an expression that is no JSONPath */
export function format(
  rows: readonly unknown[],
  kind: Format,
  { isOne = false, hasHeaders = true }: FormatOptions = {},
): string {
  const value = isOne ? rows[0] : rows;
  if (kind === "json") return JSON.stringify(value, null, 2);
  if (kind === "yaml") return stringify(value).trimEnd();
  if (kind.startsWith(JSONPATH)) return selected(value, kind.slice(JSONPATH.length));
  const records = rows.map((row) => (typeof row === "object" && row !== null ? (row as Row) : { value: row }));
  if (kind === "name") return records.map(nameOf).join("\n");
  if (kind === "id") return records.map((row) => textOf(row["id"] ?? nameOf(row))).join("\n");
  const shown = records.map(withAddresses);
  if (kind === "csv") return csv(shown);
  return table(shown, columnsOf(shown, kind === "wide"), { hasHeaders, hasAges: kind !== "wide" });
}

/** A path as in kubectl is accepted: with braces, without the root, and with `.items` for a list. */
function selected(value: unknown, expression: string): string {
  const bare = expression.trim().replace(/^\{(.*)\}$/, "$1");
  const whole = bare.startsWith("$") ? bare : /^[.[]/.test(bare) ? `$${bare}` : `$.${bare}`;
  const rooted = whole.replace(/^\$\.\[/, "$[");
  const path = Array.isArray(value) ? rooted.replace(/^\$\.items(?=\[|$)/, "$") : rooted;
  try {
    return query(value as never, path)
      .map(textOf)
      .join("\n");
  } catch {
    throw new Problem(EXIT.usage, `${expression} is not a JSONPath such as $[*].name.`);
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The display name of an entity, such as `443/tcp` for a port; its id if it has none. */
export function nameOf(row: Row): string {
  const { number, protocol } = row;
  if (typeof number === "number" && typeof protocol === "string") return `${number}/${protocol.toLowerCase()}`;
  const name = row["name"] ?? row["email"] ?? row["cidr"] ?? row["ip_address"] ?? row["url"] ?? row["id"];
  return typeof name === "string" ? name : JSON.stringify(name ?? row);
}

/** What to call an entity on a command line: an interface by its address, because many have one name. */
export function handleOf(row: Row): string {
  const address = row["ip_address"];
  return typeof address === "string" ? address : nameOf(row);
}

/** For hosts, the addresses are of most interest. */
function withAddresses(row: Row): Row {
  const { interfaces } = row;
  if (!Array.isArray(interfaces)) return row;
  return { ...row, addresses: (interfaces as readonly { ip_address: string }[]).map(({ ip_address }) => ip_address) };
}

interface TableOptions {
  readonly hasHeaders?: boolean;
  /** Moments are shown by how long ago they were. */
  readonly hasAges?: boolean;
}

/** Aligned columns without borders. */
export function table(
  rows: readonly Row[],
  columns: readonly string[],
  { hasHeaders = true, hasAges = true }: TableOptions = {},
): string {
  const head = columns.map((column) => (hasAges ? column.replace(/_(?:at|since)$/, "") : column));
  const made = new Table({
    head: hasHeaders ? head.map((column) => column.toUpperCase().replaceAll("_", " ")) : [],
    chars: { ...Object.fromEntries(BORDERS.map((name) => [name, ""])), middle: "  " },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  for (const row of rows) made.push(columns.map((column) => cell(row[column], hasAges)));
  return made
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

const BORDERS = [
  ...["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"],
  ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"],
];

function columnsOf(rows: readonly Row[], isWide: boolean): string[] {
  const hasOne = (column: string): boolean =>
    rows.some((row) => row[column] !== undefined && (row[column] !== null || column !== RARE));
  // What has no name is called by its id.
  const areNamed = rows.every((row) => nameOf(row) !== row["id"]);
  const known = COLUMNS.filter(hasOne);
  if (known.length === 0) return Object.keys(rows[0] ?? {});
  if (isWide) return [...known, ...WIDE_COLUMNS.filter(hasOne)];
  return areNamed || !hasOne("id") ? known : [...known, "id"];
}

/** Sorts rows by a member, such as `name`, `attributes.site` or `-updated_at`. @throws Problem if no row has it */
export function sortedBy(rows: readonly unknown[], key: string): unknown[] {
  const isDown = key.startsWith("-");
  const names = key.replace(/^-/, "").split(".");
  const keyed = rows.map((row) => ({ row, value: valueAt(withAddresses(row as Row), names) }));
  if (rows.length > 0 && keyed.every(({ value }) => value === undefined)) {
    const known = [...new Set(rows.flatMap((row) => Object.keys(withAddresses(row as Row))))];
    throw new Problem(EXIT.usage, `--sort-by: nothing has ${names.join(".")}${adviceFor(names.join("."), known)}`);
  }
  return keyed.sort((one, other) => compared(one.value, other.value, isDown)).map(({ row }) => row);
}

function valueAt(row: unknown, names: readonly string[]): unknown {
  const [first, ...rest] = names;
  if (first === undefined) return Array.isArray(row) ? (row as readonly unknown[])[0] : row;
  return typeof row === "object" && row !== null ? valueAt((row as Row)[first], rest) : undefined;
}

const collator = new Intl.Collator("en", { numeric: true });

/** What is empty comes last. Numbers in texts are compared as such: 10.0.0.9 comes before 10.0.0.10. */
function compared(one: unknown, other: unknown, isDown: boolean): number {
  const isNothing = (value: unknown): boolean => value === undefined || value === null || value === "";
  if (isNothing(one) || isNothing(other)) return Number(isNothing(one)) - Number(isNothing(other));
  const order =
    typeof one === "number" && typeof other === "number"
      ? one - other
      : collator.compare(elementText(one), elementText(other));
  return isDown ? -order : order;
}

/** Control characters could control the terminal. */
export function cell(value: unknown, hasAges = false): string {
  if (value === null || value === undefined) return "";
  if (hasAges && typeof value === "string" && isMomentText(value)) return ageOf(value);
  const text = Array.isArray(value) ? value.map(elementText).join(" ") : value;
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  return textOf(text).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, " ");
}

/** Nested entities are shown by name. */
function elementText(value: unknown): string {
  return typeof value === "object" && value !== null ? nameOf(value as Row) : String(value);
}

function csv(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (cells: readonly string[]): string => cells.map(quoted).join(",");
  return [line(columns), ...rows.map((row) => line(columns.map((column) => cell(row[column]))))].join("\n");
}

/** Spreadsheets evaluate cells that start with one of these characters. */
function quoted(text: string): string {
  const safe = /^[=+\-@＝＋－＠\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
