import type { HostRecord } from "@nts/shared/contract";
import type { KnownInterface } from "./match.rules.js";
import { agree } from "./merge.rules.js";
import type { SeenHost } from "./scan.rules.js";

// Bare hosts: created by an import from addresses alone, with interfaces as their only children, and never edited.

/** A bare host with the number of its interfaces. */
export interface BareHost {
  readonly id: string;
  readonly interfaces: number;
}

/** Whether a host itself is as imported from addresses. */
export function isUntouched({ hostname, source, created_at, updated_at }: HostRecord): boolean {
  return hostname === null && source.type === "Discovery" && created_at === updated_at;
}

/**
 * Whether everything on such a host was seen here, so that nothing is lost with it. @param there interfaces found for
 * the file
 */
export function isWithin(
  { addresses }: SeenHost,
  bare: BareHost,
  there: (ip: string) => readonly KnownInterface[],
): boolean {
  const covered = addresses.flatMap(({ ip, mac }) =>
    there(ip).filter(
      ({ host_id, name, mac_address }) => host_id === bare.id && name === null && agree(mac_address, mac),
    ),
  );
  return covered.length === bare.interfaces;
}
