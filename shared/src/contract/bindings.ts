import { z } from "zod";
import { Id, serverFields } from "./common.js";

/** A service present at an interface (an address), with no port. @see spec § 2.2 */
export const InterfaceBindingInput = z
  .object({ type: z.literal("Interface"), interface_id: Id })
  .meta({ id: "InterfaceBindingInput" });

/** A service listening on a port; `interface_id: null` means on all interfaces of the host. @see spec § 2.2 */
export const PortBindingInput = z
  .object({ type: z.literal("Port"), port_id: Id, interface_id: Id.nullable().default(null) })
  .meta({ id: "PortBindingInput" });

/** A binding as a caller asks for it. */
export const BindingInput = z
  .discriminatedUnion("type", [InterfaceBindingInput, PortBindingInput])
  .meta({ id: "BindingInput" });
export type BindingInput = z.infer<typeof BindingInput>;

const owned = { ...serverFields, service_id: Id, network_id: Id };

/** A binding as it is answered. @see spec § 2.2 */
export const Binding = z
  .discriminatedUnion("type", [
    z.object({ ...owned, type: z.literal("Interface"), interface_id: Id }).meta({ id: "InterfaceBinding" }),
    z
      .object({ ...owned, type: z.literal("Port"), port_id: Id, interface_id: Id.nullable() })
      .meta({ id: "PortBinding" }),
  ])
  .meta({ id: "Binding" });
export type Binding = z.infer<typeof Binding>;

export const Bindings = z.array(BindingInput).max(1000);
