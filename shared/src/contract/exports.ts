import { z } from "zod";
import { attributeFilter } from "./attributes.js";
import { filters, text } from "./common.js";
import { endpoint } from "./endpoint.js";
import { isDnsName } from "./formats.js";
import { CSV_RESOURCES } from "./import-formats.js";
import { NETBOX_TABLES, OLDER_NETBOX_TABLES } from "./netbox-tables.rules.js";
import { roleFilter } from "./roles.js";
import { SCHEMES } from "./schemes.rules.js";

// The inventory in the file formats of other tools. @see docs/exports.md

export const CsvTable = z.enum(CSV_RESOURCES).meta({ id: "CsvResource" });

export const EXPORT_FORMATS = [
  "prometheus",
  "certificates",
  "metrics",
  "ansible",
  "hosts",
  "dns",
  "homepage",
  "gatus",
  "uptime-kuma",
  "home-assistant",
  "netbox",
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
    "Hosts with their addresses and services: Prometheus targets (`http_sd`), metrics of certificates that end and of what there is, an Ansible inventory, `/etc/hosts` lines, a DNS " +
    "zone, Homepage links, checks for Gatus and Uptime Kuma, sensors for Home Assistant, tables for NetBox, a diagrams.net drawing, or a CSV table that can be imported again. The response is the file itself, " +
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
    base_url: text(1, 200)
      .refine((url) => /^https?:\/\/[^\s?#]+$/.test(url), "must be an http or https URL without a query")
      .meta({ pattern: "^https?://[^\\s?#\\u0000-\\u001f\\u007f-\\u009f]+$" })
      .optional()
      .describe("Required for `home-assistant`: where it reaches this service, such as `https://nts.example`."),
    table: z
      .enum([...NETBOX_TABLES, ...OLDER_NETBOX_TABLES])
      .meta({ id: "NetboxTable" })
      .optional()
      .describe(
        "Required for `netbox`: one of the tables, which are imported in this order; `services-before-4-7` instead of `services` into NetBox 4.3 to 4.6.",
      ),
    service_definition: text(1, 100).optional().describe("Of `prometheus`: only services of this definition."),
    scheme: z
      .enum(SCHEMES)
      .meta({ id: "TargetScheme" })
      .optional()
      .describe("Of `prometheus`: only targets that serve pages with it; `tcp` for all that serve none."),
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
