import type { LinkEnd } from "@nts/shared/contract";
import { folded } from "@nts/shared/contract/folding.rules";

/** Unique in an organization: the ends in either order. A port is known by its name or, without one, by its interface. */
export function endsKey(ends: readonly LinkEnd[]): string {
  return ends
    .map(
      ({ host_id, interface_id, port }) =>
        `${host_id} ${port === null ? (interface_id ?? "") : `port ${folded(port)}`}`,
    )
    .sort()
    .join("\n");
}
