import type { HostRecord, Interface } from "@nts/shared/contract";
import { agree } from "./merge.rules.js";
import type { SeenHost } from "./scan.rules.js";

// Hosts that are no more than an address: an import made them of something that tells no names, nothing stands on them but
// interfaces, and nobody has made anything of them since.

/** Such a host, and how many interfaces it has. */
export interface BareHost {
  readonly id: string;
  readonly interfaces: number;
}

/** Whether a host itself is as an import has made it of addresses. */
export function isUntouched({ hostname, source, created_at, updated_at }: HostRecord): boolean {
  return hostname === null && source.type === "Discovery" && created_at === updated_at;
}

/** Whether all that such a host has was seen here, so that nothing of it is lost with it. @param there the interfaces that were found for the file */
export function isWithin(
  { addresses }: SeenHost,
  bare: BareHost,
  there: (ip: string) => readonly Interface[],
): boolean {
  const covered = addresses.flatMap(({ ip, mac }) =>
    there(ip).filter(
      ({ host_id, name, mac_address }) => host_id === bare.id && name === null && agree(mac_address, mac),
    ),
  );
  return covered.length === bare.interfaces;
}
