import type { Attributes, CsvResource, Host } from "@nts/shared/contract";
import { attributeText } from "@nts/shared/contract/attributes.rules";
import { ATTRIBUTE_COLUMN, OBSERVED_COLUMN, TAG_SEPARATOR, UNKNOWN_MAC } from "@nts/shared/contract/import-formats";
import { boundOn, type ExportWriter, type Names } from "./writer.rules.js";

// CSV tables (RFC 4180) with the headings of the import, so that exports can be imported again. What sources have observed
// is for people to read: the import leaves it to the sources.

type Cell = string | number | boolean | null;

/** A row by the parts of its headings. */
interface Row {
  readonly cells: readonly Cell[];
  readonly observed: readonly Cell[];
  /** Absent for rows of kinds without any. */
  readonly attributes?: Attributes;
}

interface Table {
  readonly headings: readonly string[];
  /** The headings of what was observed, without {@link OBSERVED_COLUMN}. */
  readonly observed: readonly string[];
  rowsOf(host: Host, names: Names): readonly Row[];
}

const TABLES: Readonly<Record<CsvResource, Table>> = {
  hosts: {
    headings: ["name", "hostname", "ip_addresses", "mac_addresses", "description", "role", "tags", "network", "id"],
    observed: ["role", "vendor", "model", "serial", "os", "os_version"],
    rowsOf: (host, names) => {
      const { id, network_id, name, hostname, interfaces, description, role, tags, attributes } = host;
      const addresses = interfaces.map(({ ip_address }) => ip_address).join(" ");
      const of = [tags.map(names.tag).map(tagText).join(TAG_SEPARATOR), names.network(network_id), id];
      const cells = [name, hostname, addresses, macsOf(interfaces), description, role, ...of];
      return [{ cells, attributes, observed: observedOf(host) }];
    },
  },
  interfaces: {
    headings: ["host", "name", "ip_address", "mac_address"],
    observed: ["vendor"],
    rowsOf: (host) =>
      host.interfaces.map(({ name, ip_address, mac_address, attributes, observed }) => ({
        cells: [host.name, name, ip_address, mac_address],
        attributes,
        observed: [observed?.vendor?.value ?? null],
      })),
  },
  ports: {
    headings: ["host", "ip_address", "port", "protocol"],
    observed: ["title", "certificate", "certificate_ends"],
    rowsOf: (host) =>
      host.ports.map(({ number, protocol, observed }) => ({
        cells: [host.name, host.interfaces[0]?.ip_address ?? null, number, protocol],
        observed: [
          observed?.title?.value ?? null,
          observed?.certificate?.subject ?? null,
          observed?.certificate?.not_after ?? null,
        ],
      })),
  },
  services: {
    headings: ["host", "ip_address", "port", "protocol", "name", "service_definition", "all_interfaces"],
    observed: ["product", "version"],
    rowsOf: (host) => {
      const boundOf = boundOn(host);
      return host.services.flatMap((service) =>
        boundOf(service).map(({ address, port, protocol, isEverywhere }) => ({
          cells: [
            ...[host.name, address, port, protocol],
            ...[service.name, service.service_definition, isEverywhere ? "true" : null],
          ],
          attributes: service.attributes,
          observed: [service.observed?.product?.value ?? null, service.observed?.version?.value ?? null],
        })),
      );
    },
  },
};

function observedOf({ observed }: Host): readonly Cell[] {
  const { role, vendor, model, serial, os } = observed ?? {};
  return [...[role, vendor, model, serial].map((one) => one?.value ?? null), os?.name ?? null, os?.version ?? null];
}

function tagText(name: string): string {
  return name.replaceAll(/[\\;,]/g, "\\$&");
}

/** One per address, so that the import knows which address has which; empty if none is known. */
function macsOf(interfaces: Host["interfaces"]): string {
  if (interfaces.every(({ mac_address }) => mac_address === null)) return "";
  return interfaces.map(({ mac_address }) => mac_address ?? UNKNOWN_MAC).join(" ");
}

/** A table of hosts or their children. @param attributes the keys that have columns */
export function createCsvWriter(resource: CsvResource, names: Names, attributes: readonly string[] = []): ExportWriter {
  const { headings, observed, rowsOf } = TABLES[resource];
  const cellsOf = (row: Row): readonly Cell[] => [
    ...row.cells,
    ...attributes.map((key) => attributeCell(row.attributes ?? {}, key)),
    ...row.observed,
  ];
  return {
    begin: lineOf([
      ...headings,
      ...attributes.map((key) => `${ATTRIBUTE_COLUMN}${key}`),
      ...observed.map((name) => `${OBSERVED_COLUMN}${name}`),
    ]),
    hosts: (hosts) =>
      hosts
        .flatMap((host) => rowsOf(host, names))
        .map((row) => lineOf(cellsOf(row)))
        .join(""),
    end: () => [],
  };
}

function attributeCell(attributes: Attributes, key: string): Cell {
  return Object.hasOwn(attributes, key) ? attributeText(attributes[key] ?? "") : null;
}

function lineOf(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

/**
 * Prefixes an apostrophe to text that spreadsheets would evaluate (also in full width); the import removes it. Text that begins like a
 * protected one gets another, so that it keeps its own.
 */
function cellOf(cell: Cell): string {
  const text = cell === null ? "" : String(cell);
  const safe = /^'*[=+\-@＝＋－＠\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n;\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
