import type { CsvResource } from "@nts/shared/contract/import-formats";
import { faultAt } from "./lines.js";
import type { Row } from "./rows.js";

// Columns of a table, identified by their headings in any order.

/** Column keys by heading in lower case with `_` for spaces and hyphens. */
const HEADINGS = {
  address: ["ip_address", "ip_addresses", "ip", "ips", "address", "addresses", "ipv4", "ipv4_address", "ipv6", "ipv6_address"], // prettier-ignore
  mac: ["mac_address", "mac_addresses", "mac", "macs", "hwaddr", "hardware_address", "ethernet"],
  hostname: ["hostname", "host_name", "fqdn", "dns_name", "dns"],
  host: ["host", "device", "machine", "server"],
  name: ["name", "label", "title"],
  description: ["description", "comment", "comments", "note", "notes", "remark"],
  port: ["port", "port_number", "number"],
  protocol: ["protocol", "proto"],
  service: ["service", "service_name", "application", "app"],
  definition: ["service_definition", "definition", "kind"],
  everywhere: ["all_interfaces", "all_addresses"],
} as const;
export type Column = keyof typeof HEADINGS;
const COLUMN_OF: ReadonlyMap<string, Column> = new Map(
  Object.entries(HEADINGS).flatMap(([column, names]) => names.map((name) => [name, column as Column])),
);
const LONGEST_HEADING = 50;

interface Heading {
  /** Values of its cells. */
  readonly index: number;
  readonly text: string;
}

/** Headings by column. */
export type Columns = ReadonlyMap<Column, readonly Heading[]>;

/** A row by columns. */
export interface TableRow {
  readonly line: number;
  /** The first non-empty value of the columns with this key. */
  of(column: Column): string;
  /** All values of the columns with this key. */
  all(column: Column): string;
  /** The heading as written, for error messages. */
  heading(column: Column): string;
}

export function columnsIn(headings: readonly string[]): Columns {
  const columns = new Map<Column, Heading[]>();
  for (const [index, heading] of headings.entries()) {
    const text = heading.slice(0, LONGEST_HEADING).trim();
    const column = COLUMN_OF.get(text.toLowerCase().replaceAll(/[\s-]+/g, "_"));
    if (column !== undefined) columns.set(column, [...(columns.get(column) ?? []), { index, text }]);
  }
  return columns;
}

/** The kind of rows, if the request does not specify it. */
export function resourceOf(columns: Columns): CsvResource {
  if (columns.has("port")) return columns.has("service") || columns.has("definition") ? "services" : "ports";
  return columns.has("host") && !columns.has("hostname") && columns.has("name") ? "interfaces" : "hosts";
}

/** True for kinds with a port per row. */
export function isOfPorts(resource: CsvResource): boolean {
  return resource === "ports" || resource === "services";
}

/** @throws AppError `validation_failed` if a required column is missing */
export function requireColumns(columns: Columns, resource: CsvResource, line: number): void {
  if (!columns.has("address"))
    throw faultAt(line, "must be headings with one of them `ip_address`", 1, "missing_column");
  if (isOfPorts(resource) && !columns.has("port"))
    throw faultAt(
      line,
      `must be headings with one of them \`port\`, as of a table of ${resource}`,
      1,
      "missing_column",
    );
}

export function tableRow({ line, cells }: Row, columns: Columns): TableRow {
  const all = (column: Column): string[] => (columns.get(column) ?? []).map(({ index }) => cells[index] ?? "");
  return {
    line,
    of: (column) => all(column).find((cell) => cell !== "") ?? "",
    all: (column) => all(column).join(" "),
    heading: (column) => columns.get(column)?.[0]?.text ?? column,
  };
}
