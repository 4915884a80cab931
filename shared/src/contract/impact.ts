import { z } from "zod";
import { byId, Id } from "./common.js";
import { endpoint } from "./endpoint.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";

// What stops if something stops, and what something needs. @see docs/dependencies.md

/** Maximum of what is followed and counted. */
export const MOST_REACHED = 10_000;
export const DEEPEST_IMPACT = 10;

export const IMPACT_DIRECTIONS = ["dependents", "dependencies"] as const;
export const ImpactDirection = z.enum(IMPACT_DIRECTIONS).meta({ id: "ImpactDirection" });
export type ImpactDirection = z.infer<typeof ImpactDirection>;

export const REACHED_KINDS = ["host", "service", "process"] as const;
export type ReachedKind = (typeof REACHED_KINDS)[number];

export const Reached = z
  .object({
    kind: z.enum(REACHED_KINDS).meta({ id: "ReachedKind" }),
    id: Id.describe("Of the host or service; of a process, its host."),
    name: z.string(),
    host_id: Id.describe("Of a host, its own."),
    host_name: z.string(),
    distance: z.int().describe("Steps from the subject."),
    via: z
      .enum(["dependency", "runs_on", "virtualization", "link"])
      .meta({ id: "ReachedBy" })
      .describe(
        "The last step: a dependency, that a service is on its host, that a guest runs on something, or that a host is linked through a device alone.",
      ),
    dependency_id: Id.nullable().describe("Of a dependency."),
    path: z.array(Id).describe("From the subject to what is before this one."),
  })
  .meta({ id: "Reached" });
export type Reached = z.infer<typeof Reached>;

export const Impact = z
  .object({
    direction: ImpactDirection,
    counts: z.object({ hosts: z.int(), services: z.int(), processes: z.int() }),
    complete: z
      .boolean()
      .describe(`False if there is more than the ${MOST_REACHED.toLocaleString("en")} that are followed.`),
    reached: z.array(Reached).describe("Nearest first, up to `limit`."),
  })
  .meta({ id: "Impact" });
export type Impact = z.infer<typeof Impact>;

const query = z.strictObject({
  direction: ImpactDirection.default("dependents").describe(
    "`dependents`: what stops if this stops. `dependencies`: what this needs; of a host, also what is on it.",
  ),
  depth: z.int().min(1).max(DEEPEST_IMPACT).default(DEEPEST_IMPACT).describe("Steps to follow."),
  limit: z.int().min(0).max(1_000).default(100).describe("Maximum entries of `reached`; counts are of all."),
  ...asOf,
});

const common = {
  upstream: "topology",
  credential: "any",
  method: "get",
  permission: "Viewer",
  params: byId,
  query,
  response: Impact,
  errors: ["not_found", ...AS_OF_ERRORS],
} as const;

export const getServiceImpact = endpoint({
  ...common,
  tag: "Services",
  operationId: "get_service_impact",
  path: "/api/v1/services/{id}/impact",
  summary: "What stops if a service stops, or what it needs",
});

export const getHostImpact = endpoint({
  ...common,
  tag: "Hosts",
  operationId: "get_host_impact",
  path: "/api/v1/hosts/{id}/impact",
  summary: "What stops if a host stops, or what it needs",
});
