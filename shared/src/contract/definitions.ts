import { z } from "zod";
import { Category } from "./categories.js";
import { filters, listQuery } from "./common.js";
import { endpoint } from "./endpoint.js";
import { Protocol } from "./ports.js";

/** A well-known kind of service; `service_definition` may also be any other text. */
export const ServiceDefinition = z
  .object({
    name: z.string(),
    category: Category,
    description: z.string(),
    ports: z.array(z.object({ number: z.int(), protocol: Protocol })).describe("Default ports."),
  })
  .meta({ id: "ServiceDefinition" });
export type ServiceDefinition = z.infer<typeof ServiceDefinition>;

export const listServiceDefinitions = endpoint({
  operationId: "list_service_definitions",
  method: "get",
  path: "/api/v1/service-definitions",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Service definitions",
  summary: "List the catalogue of well-known services",
  query: listQuery(["name", "category"], {
    network_id: filters.network_id.describe("Has no effect: the catalogue is the same for everybody."),
    category: z.array(Category).max(50).default([]).describe("Only services of these categories."),
  }),
  response: ServiceDefinition,
  list: true,
  errors: [],
});
