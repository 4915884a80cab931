import {
  ATTRIBUTE_COLUMN,
  type ColumnMeaning,
  type ImportedColumn,
  type ImportJobWithPlan,
  MOST_SAID_COLUMNS,
} from "@nts/shared/contract";
import type { Fault } from "@nts/shared/errors";

// What people say that columns of tables mean. The browser remembers it, and tells the API with every table.

/** Meanings by headings. */
export type SaidColumns = Readonly<Record<string, string>>;

/** Labels of meanings, in the order in which they are offered. */
export const MEANINGS: Readonly<Record<ColumnMeaning, string>> = {
  ip_address: "IP address",
  mac_address: "MAC address",
  hostname: "Host name",
  name: "Name",
  host: "Host that the row belongs to",
  description: "Description",
  role: "Role",
  vendor: "Vendor",
  model: "Model",
  serial: "Serial number",
  duid: "DUID",
  machine_id: "Machine id",
  os: "Operating system",
  os_version: "Version of the operating system",
  port: "Port number",
  protocol: "Protocol",
  service: "Service",
  service_definition: "What the service is",
  version: "Version of the service",
  all_interfaces: "Whether it listens on all addresses",
  netmask: "Mask of the subnet",
  switch: "Switch that it is plugged in",
  switch_port: "Port of the switch",
  tags: "Tags",
  network: "Network",
  id: "Id",
  status: "Status",
  ignore: "Not used",
};

/** The columns of the table that a job has read, also if it has failed because one is missing; none of other files. */
export function columnsOf(job: ImportJobWithPlan | null): readonly ImportedColumn[] {
  if (job?.plan?.columns !== undefined) return job.plan.columns;
  const faults = (job?.error?.params["errors"] ?? []) as readonly Fault[];
  const headings = faults.find((fault) => fault.headings !== undefined)?.headings;
  return headings?.map((heading) => ({ heading, meaning: null, given: false })) ?? [];
}

/** The attribute that a column can become, such as `attributes_rack`. */
export function attributeOf(heading: string): string {
  const key = heading
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^[^a-z]+|_+$/g, "")
    .slice(0, 50);
  return `${ATTRIBUTE_COLUMN}${key === "" ? "column" : key}`;
}

/** The label of a meaning. */
export function meaningLabel(meaning: string): string {
  if (!meaning.startsWith(ATTRIBUTE_COLUMN)) return MEANINGS[meaning as ColumnMeaning];
  return `Attribute ${meaning.slice(ATTRIBUTE_COLUMN.length)}`;
}

/** As the API takes it. */
export function columnsQuery(said: SaidColumns): string[] {
  return Object.entries(said).map(([heading, meaning]) => `${heading}=${meaning}`);
}

/** With another meaning of a column; null to leave it to its heading. The last ones are kept. */
export function withMeaning(said: SaidColumns, heading: string, meaning: string | null): SaidColumns {
  const others = Object.entries(said).filter(([other]) => other !== heading);
  const own = meaning === null ? [] : [[heading, meaning] as const];
  return Object.fromEntries([...others, ...own].slice(-MOST_SAID_COLUMNS));
}
