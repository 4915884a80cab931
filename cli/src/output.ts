import Table from "cli-table3";
import { stringify } from "yaml";

/** In which form entities are printed. */
export const FORMATS = ["table", "json", "yaml", "csv", "name"] as const;
export type Format = (typeof FORMATS)[number];

type Row = Readonly<Record<string, unknown>>;

/** Columns of tables, in their order; each where its rows have it. */
const COLUMNS = [
  ...["name", "host", "email", "cidr", "ip_address", "mac_address", "hostname", "addresses", "number", "protocol"],
  ...["service_definition", "category", "type", "url", "key", "permissions", "is_enabled", "expires_at", "browser"],
  ...["missed_since", "updated_at", "id"],
];

/** Entities as text, without a line break at the end. @param isOne it was asked for one of them */
export function format(rows: readonly unknown[], kind: Format, isOne = false): string {
  const value = isOne ? rows[0] : rows;
  if (kind === "json") return JSON.stringify(value, null, 2);
  if (kind === "yaml") return stringify(value).trimEnd();
  const records = rows.map((row) => (typeof row === "object" && row !== null ? (row as Row) : { value: row }));
  if (kind === "name") return records.map(nameOf).join("\n");
  return kind === "csv" ? csv(records.map(withAddresses)) : table(records.map(withAddresses));
}

/** What an entity is called, such as `443/tcp` for a port; its id where it has no name. */
export function nameOf(row: Row): string {
  const { number, protocol } = row;
  if (typeof number === "number" && typeof protocol === "string") return `${number}/${protocol.toLowerCase()}`;
  const name = row["name"] ?? row["email"] ?? row["cidr"] ?? row["ip_address"] ?? row["url"] ?? row["id"];
  return typeof name === "string" ? name : JSON.stringify(name ?? row);
}

/** Of a host, its addresses are what one looks for. */
function withAddresses(row: Row): Row {
  const { interfaces } = row;
  if (!Array.isArray(interfaces)) return row;
  return { ...row, addresses: (interfaces as readonly { ip_address: string }[]).map(({ ip_address }) => ip_address) };
}

/** Columns side by side, without lines between them. */
export function table(rows: readonly Row[], columns?: readonly string[]): string {
  const shown = columns ?? columnsOf(rows);
  const empty = ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right", "left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"]; // prettier-ignore
  const made = new Table({
    head: shown.map((column) => column.toUpperCase().replaceAll("_", " ")),
    chars: { ...Object.fromEntries(empty.map((name) => [name, ""])), middle: "  " },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
  });
  for (const row of rows) made.push(shown.map((column) => cell(row[column])));
  return made
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

function columnsOf(rows: readonly Row[]): string[] {
  const known = COLUMNS.filter((column) => rows.some((row) => row[column] !== undefined));
  return known.length > 0 ? known : Object.keys(rows[0] ?? {});
}

/** Control characters would steer the terminal. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = Array.isArray(value) ? value.map(elementText).join(" ") : value;
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  return (typeof text === "string" ? text : JSON.stringify(text)).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, " ");
}

/** Entities inside of others are called by their names. */
function elementText(value: unknown): string {
  return typeof value === "object" && value !== null ? nameOf(value as Row) : String(value);
}

function csv(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (cells: readonly string[]): string => cells.map(quoted).join(",");
  return [line(columns), ...rows.map((row) => line(columns.map((column) => cell(row[column]))))].join("\n");
}

/** A spreadsheet would calculate what begins with one of these signs. */
function quoted(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
