import Table from "cli-table3";
import { stringify } from "yaml";

/** Output formats. */
export const FORMATS = ["table", "json", "yaml", "csv", "name"] as const;
export type Format = (typeof FORMATS)[number];

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
    "host",
    "email",
    "cidr",
    "ip_address",
    "mac_address",
    "hostname",
    "addresses",
    "number",
    "protocol",
  ],
  ...["service_definition", "category", "type", "url", "key", "permissions", "is_enabled", "expires_at", "browser"],
  ...["missed_since", "updated_at", "id"],
];

/** Formats entities, without a final line break. @param isOne a single entity was requested */
export function format(rows: readonly unknown[], kind: Format, isOne = false): string {
  const value = isOne ? rows[0] : rows;
  if (kind === "json") return JSON.stringify(value, null, 2);
  if (kind === "yaml") return stringify(value).trimEnd();
  const records = rows.map((row) => (typeof row === "object" && row !== null ? (row as Row) : { value: row }));
  if (kind === "name") return records.map(nameOf).join("\n");
  return kind === "csv" ? csv(records.map(withAddresses)) : table(records.map(withAddresses));
}

/** The display name of an entity, such as `443/tcp` for a port; its id if it has none. */
export function nameOf(row: Row): string {
  const { number, protocol } = row;
  if (typeof number === "number" && typeof protocol === "string") return `${number}/${protocol.toLowerCase()}`;
  const name = row["name"] ?? row["email"] ?? row["cidr"] ?? row["ip_address"] ?? row["url"] ?? row["id"];
  return typeof name === "string" ? name : JSON.stringify(name ?? row);
}

/** For hosts, the addresses are of most interest. */
function withAddresses(row: Row): Row {
  const { interfaces } = row;
  if (!Array.isArray(interfaces)) return row;
  return { ...row, addresses: (interfaces as readonly { ip_address: string }[]).map(({ ip_address }) => ip_address) };
}

/** Aligned columns without borders. */
export function table(rows: readonly Row[], columns?: readonly string[]): string {
  const shown = columns ?? columnsOf(rows);
  const empty = [
    "top",
    "top-mid",
    "top-left",
    "top-right",
    "bottom",
    "bottom-mid",
    "bottom-left",
    "bottom-right",
    "left",
    "left-mid",
    "mid",
    "mid-mid",
    "right",
    "right-mid",
    "middle",
  ];
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

/** Control characters could control the terminal. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = Array.isArray(value) ? value.map(elementText).join(" ") : value;
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  return (typeof text === "string" ? text : JSON.stringify(text)).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, " ");
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
