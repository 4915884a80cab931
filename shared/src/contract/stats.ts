import { z } from "zod";
import { Category } from "./categories.js";
import { Amount, filters, Id, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { forPlurals, KINDS_IN_NETWORKS } from "./kinds.js";
import { Protocol } from "./ports.js";

const Count = z.int();

/** Number of entities of each kind. */
const counts = forPlurals(KINDS_IN_NETWORKS, () => Count);

export const Stats = z
  .object({
    at: Timestamp.describe("When it was counted."),
    totals: z.object({ networks: Count, tags: Count, ...counts }),
    networks: z
      .array(z.object({ id: Id, name: z.string(), ...counts }))
      .describe("The 100 networks with the most hosts."),
    categories: z.array(z.object({ category: Category, services: Count })),
    virtualization: z
      .array(z.object({ type: z.string(), hosts: Count, services: Count }))
      .describe("Based on up to 100,000 hosts and services."),
    ports: z.array(z.object({ number: Count, protocol: Protocol, hosts: Count })).describe("The 20 most frequent."),
    subnets: z
      .array(
        z.object({
          ...{ id: Id, network_id: Id, name: z.string(), cidr: z.string() },
          size: Amount.describe("Assignable addresses; exact, even above 2^53."),
          used: Count,
        }),
      )
      .describe("The 20 fullest."),
    days: z.array(z.object({ day: z.string(), changes: Count })).describe("The last seven days in UTC."),
  })
  .meta({ id: "Stats" });
export type Stats = z.infer<typeof Stats>;

export const getStats = endpoint({
  operationId: "get_stats",
  method: "get",
  path: "/api/v1/stats",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Exports",
  summary: "Get inventory statistics",
  description: "For one network, or all that are visible to the caller. Cached for ten times the duration of counting.",
  query: z.strictObject({ network_id: filters.network_id }),
  etag: true,
  response: Stats,
  errors: [],
});
