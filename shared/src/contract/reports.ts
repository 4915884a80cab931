import { z } from "zod";
import { filters, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { Missing, MissingCounts } from "./sightings.js";

/** Rows of a kind that a report has. */
export const MOST_GONE = 1_000;

/** Something that is gone, with what its host is called. */
export const GoneEntity = Missing.extend({ host_name: z.string() }).meta({ id: "GoneEntity" });
export type GoneEntity = z.infer<typeof GoneEntity>;

export const Gone = z
  .object({
    before: Timestamp,
    counts: MissingCounts,
    gone: z.array(GoneEntity),
  })
  .meta({ id: "Gone" });
export type Gone = z.infer<typeof Gone>;

export const reportGone = endpoint({
  operationId: "report_gone",
  method: "get",
  path: "/api/v1/reports/gone",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Imports",
  summary: "What imports have not found for some days, and miss",
  description: `By kind and network, longest missed first; at most ${MOST_GONE} of each.`,
  query: z.strictObject({ days: z.int().min(0).max(3_650).default(21), network_id: filters.network_id }),
  response: Gone,
  errors: [],
});
