import { z } from "zod";
import { endpoint } from "./endpoint.js";

// The whole inventory of an organization as one file. @see docs/archives.md

/** A JSON value a line. */
export const ARCHIVE_TYPE = "application/x-ndjson";
/** Of the form of the lines. */
export const ARCHIVE_VERSION = 1;
/** What the first line says an archive is. */
export const ARCHIVE_MARK = "network-topology-service";

/** What has lines of its own, in the order in which they come; what stands on a host follows it at once. */
export const ARCHIVED = ["Tag", "Network", "Subnet", "Host", "Interface", "Port", "Service"] as const;
export type Archived = (typeof ARCHIVED)[number];

const common = { upstream: "topology", credential: "any", tag: "Organizations" } as const;

export const exportArchive = endpoint({
  ...common,
  operationId: "export_archive",
  method: "get",
  path: "/api/v1/organizations/archive",
  permission: "Viewer",
  summary: "The whole inventory as one file",
  description:
    "Tags, networks, subnets, and hosts with everything on them, all of one moment, of the networks that the caller may see: a JSON value " +
    "a line, the last of which has counts and a checksum. Neither accounts, keys and webhooks nor the journal are in it. With " +
    "`If-None-Match` it is 304 while nothing has changed.",
  response: z.string(),
  files: [ARCHIVE_TYPE],
  isFile: true,
  errors: [],
});
