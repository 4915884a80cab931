import type { Virtualization } from "@nts/shared/contract";
import { canonicalId, isId } from "@nts/shared/contract/id-notation.rules";

/** An entity that may run on another host or service. */
export interface Virtualizable {
  readonly id: string;
  readonly virtualization: Virtualization | null;
}

/** The runner that a virtualization names. */
export interface Runner {
  readonly kind: "service" | "host";
  readonly id: string;
}

/**
 * The runners named in the virtualization details: `service_id`, then `host_id`. As details are free-form, they may not
 * exist; an entity never runs itself.
 */
export function runnersOf({ id: own, virtualization }: Virtualizable): Runner[] {
  return (["service", "host"] as const).flatMap((kind) => {
    const named = virtualization?.details[`${kind}_id`];
    const id = typeof named === "string" ? canonicalId(named) : "";
    return isId(id) && id !== own ? [{ kind, id }] : [];
  });
}
