import type { CsvResource, Host } from "@nts/shared/contract";
import { UNKNOWN_MAC } from "@nts/shared/contract/import-formats";
import { boundOn, type ExportWriter } from "./writer.rules.js";

// CSV tables (RFC 4180) with the headings of the import, so that exports can be imported again.

type Row = readonly (string | number | null)[];

interface Table {
  readonly headings: readonly string[];
  rowsOf(host: Host): readonly Row[];
}

const TABLES: Readonly<Record<CsvResource, Table>> = {
  hosts: {
    headings: ["name", "hostname", "ip_addresses", "mac_addresses", "description"],
    rowsOf: ({ name, hostname, interfaces, description }) => [
      [name, hostname, interfaces.map(({ ip_address }) => ip_address).join(" "), macsOf(interfaces), description],
    ],
  },
  interfaces: {
    headings: ["host", "name", "ip_address", "mac_address"],
    rowsOf: (host) =>
      host.interfaces.map(({ name, ip_address, mac_address }) => [host.name, name, ip_address, mac_address]),
  },
  ports: {
    headings: ["host", "ip_address", "port", "protocol"],
    rowsOf: (host) =>
      host.ports.map(({ number, protocol }) => [host.name, host.interfaces[0]?.ip_address ?? null, number, protocol]),
  },
  services: {
    headings: ["host", "ip_address", "port", "protocol", "name", "service_definition", "all_interfaces"],
    rowsOf: (host) => {
      const boundOf = boundOn(host);
      return host.services.flatMap((service) =>
        boundOf(service).map(({ address, port, protocol, isEverywhere }) => [
          ...[host.name, address, port, protocol],
          ...[service.name, service.service_definition, isEverywhere ? "true" : null],
        ]),
      );
    },
  },
};

/** One per address, so that the import knows which address has which; empty if none is known. */
function macsOf(interfaces: Host["interfaces"]): string {
  if (interfaces.every(({ mac_address }) => mac_address === null)) return "";
  return interfaces.map(({ mac_address }) => mac_address ?? UNKNOWN_MAC).join(" ");
}

/** A table of children of hosts. */
export function createCsvWriter(resource: CsvResource): ExportWriter {
  const { headings, rowsOf } = TABLES[resource];
  return {
    begin: lineOf(headings),
    hosts: (hosts) => hosts.flatMap(rowsOf).map(lineOf).join(""),
    end: () => [],
  };
}

function lineOf(cells: Row): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

/**
 * Prefixes an apostrophe to text that spreadsheets would evaluate (also in full width); the import removes it. Text that begins like a
 * protected one gets another, so that it keeps its own.
 */
function cellOf(cell: string | number | null): string {
  const text = cell === null ? "" : String(cell);
  const safe = /^'*[=+\-@＝＋－＠\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n;\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
