import { z } from "zod";
import { filters, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { Missing, MissingCounts } from "./sightings.js";

/** Maximum rows per kind of entity. */
export const MOST_GONE = 1_000;

/** A missed entity with the name of its host. */
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
  summary: "Report entities that imports have been missing for some days",
  description: `By kind and network, longest missing first; at most ${MOST_GONE} of each.`,
  query: z.strictObject({ days: z.int().min(0).max(3_650).default(21), network_id: filters.network_id }),
  response: Gone,
  errors: [],
});
