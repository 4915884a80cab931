import { z } from "zod";
import { MOST_BINDINGS } from "./sizes.js";
import { byId, filters, Id, listQuery, serverFields } from "./common.js";
import { endpoint } from "./endpoint.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";

/** A service present at an interface (an address), with no port. @see docs/api.md "Bindings" */
export const InterfaceBindingInput = z
  .object({ type: z.literal("Interface"), interface_id: Id })
  .meta({ id: "InterfaceBindingInput" });

/** A service listening on a port; `interface_id: null` means on all interfaces of the host. @see docs/api.md "Bindings" */
export const PortBindingInput = z
  .object({ type: z.literal("Port"), port_id: Id, interface_id: Id.nullable().default(null) })
  .meta({ id: "PortBindingInput" });

/** A binding in a request. */
export const BindingInput = z
  .discriminatedUnion("type", [InterfaceBindingInput, PortBindingInput])
  .meta({ id: "BindingInput" });
export type BindingInput = z.infer<typeof BindingInput>;

const owned = { ...serverFields, service_id: Id, network_id: Id };

/** A binding in a response. @see docs/api.md "Bindings" */
export const Binding = z
  .discriminatedUnion("type", [
    z.object({ ...owned, type: z.literal("Interface"), interface_id: Id }).meta({ id: "InterfaceBinding" }),
    z
      .object({ ...owned, type: z.literal("Port"), port_id: Id, interface_id: Id.nullable() })
      .meta({ id: "PortBinding" }),
  ])
  .meta({ id: "Binding" });
export type Binding = z.infer<typeof Binding>;

export const Bindings = z.array(BindingInput).max(MOST_BINDINGS);

const common = { upstream: "topology", credential: "any", permission: "Viewer", tag: "Bindings" } as const;

export const listBindings = endpoint({
  ...common,
  operationId: "list_bindings",
  method: "get",
  path: "/api/v1/bindings",
  summary: "List the bindings of services",
  query: listQuery(["created_at"], {
    ...asOf,
    network_id: filters.network_id,
    service_id: Id.optional().describe("Only bindings of this service."),
    port_id: Id.optional().describe("Only bindings of this port."),
    interface_id: Id.optional().describe("Only bindings that reference this interface."),
  }),
  response: Binding,
  list: true,
  errors: AS_OF_ERRORS,
});

export const getBinding = endpoint({
  ...common,
  operationId: "get_binding_by_id",
  method: "get",
  path: "/api/v1/bindings/{id}",
  summary: "Get a binding",
  params: byId,
  query: z.strictObject(asOf),
  etag: true,
  response: Binding,
  errors: ["not_found", ...AS_OF_ERRORS],
});
