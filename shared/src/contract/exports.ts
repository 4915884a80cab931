import { z } from "zod";
import { filters, text } from "./common.js";
import { endpoint } from "./endpoint.js";
import { isDnsName } from "./formats.js";
import { CSV_RESOURCES } from "./import-formats.js";

// The inventory in the form in which other tools read it.

/** Each is one file; see docs/exports.md. */
export const EXPORT_FORMATS = ["prometheus", "ansible", "hosts", "dns", "homepage", "drawio", "csv"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const exportInventory = endpoint({
  operationId: "export_inventory",
  method: "get",
  path: "/api/v1/exports/{format}",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Exports",
  summary: "The inventory in the form of another tool",
  description:
    "Hosts with their addresses and services, as the list of hosts has them: targets for Prometheus (`http_sd`), an inventory " +
    "for Ansible, lines for `/etc/hosts`, a zone for a DNS server, links for Homepage, a drawing for diagrams.net, or a table " +
    "that can be imported again. The answer is the file, without an envelope, and is sent while it is read. With `If-None-Match` it is 304 for as " +
    "long as nothing has changed that the caller may know of.",
  params: z.object({ format: z.enum(EXPORT_FORMATS) }),
  query: z.strictObject({
    network_id: filters.network_id,
    tag_ids: filters.tag_ids,
    zone: text(1, 254)
      .refine((zone) => isDnsName(zone.replace(/\.$/, "")), "must be the name of a zone")
      .optional()
      .describe("Of `dns`, which needs it: the zone in which the hosts are, such as `home.example`."),
    resource: z.enum(CSV_RESOURCES).optional().describe("Of `csv`: what has a row; default `hosts`."),
  }),
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
