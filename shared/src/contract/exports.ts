import { z } from "zod";
import { attributeFilter } from "./attributes.js";
import { filters, text } from "./common.js";
import { endpoint } from "./endpoint.js";
import { isDnsName } from "./formats.js";
import { CSV_RESOURCES } from "./import-formats.js";
import { roleFilter } from "./roles.js";

// The inventory in the file formats of other tools. @see docs/exports.md

export const CsvTable = z.enum(CSV_RESOURCES).meta({ id: "CsvResource" });

export const EXPORT_FORMATS = [
  "prometheus",
  "certificates",
  "ansible",
  "hosts",
  "dns",
  "homepage",
  "drawio",
  "csv",
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const exportInventory = endpoint({
  operationId: "export_inventory",
  method: "get",
  path: "/api/v1/exports/{format}",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Exports",
  summary: "Export the inventory for another tool",
  description:
    "Hosts with their addresses and services: Prometheus targets (`http_sd`), metrics of certificates that end, an Ansible inventory, `/etc/hosts` lines, a DNS " +
    "zone, Homepage links, a diagrams.net drawing, or a CSV table that can be imported again. The response is the file itself, " +
    "streamed and without an envelope. With `If-None-Match`, 304 if nothing visible to the caller has changed.",
  params: z.object({ format: z.enum(EXPORT_FORMATS).meta({ id: "ExportFormat" }) }),
  query: z.strictObject({
    network_id: filters.network_id,
    tag_ids: filters.tag_ids,
    ...attributeFilter,
    ...roleFilter,
    zone: text(1, 254)
      .refine((zone) => isDnsName(zone.replace(/\.$/, "")), "must be a DNS zone name")
      .optional()
      .describe("Required for `dns`: the zone of the hosts, such as `home.example`."),
    resource: CsvTable.optional().describe("Of `csv`: what has a row; default `hosts`."),
  }),
  etag: true,
  response: z.string(),
  files: [
    "application/json",
    "text/plain",
    "text/dns",
    "application/yaml",
    "application/vnd.jgraph.mxfile",
    "text/csv",
  ],
  isFile: true,
  errors: [],
});
