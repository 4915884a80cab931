import type { Identities } from "../storage/stores/interfaces.js";
import type { SeenHost } from "./scan.rules.js";

// What hosts of a file are recognized by.

/** Of which one query asks for. */
const BATCH_IDENTITIES = 1_000;

export function identitiesIn(hosts: readonly SeenHost[]): Identities {
  const addresses = hosts.flatMap((host) => host.addresses);
  return {
    macAddresses: [...new Set(addresses.flatMap(({ mac }) => mac ?? []))],
    ipAddresses: addresses.map(({ ip }) => ip),
  };
}

/** What the hosts are recognized by, in parts that one query can ask for. */
export function identitiesOf(hosts: readonly SeenHost[]): Identities[] {
  const parts: SeenHost[][] = [];
  let size = BATCH_IDENTITIES;
  for (const host of hosts) {
    size += host.addresses.length;
    const last = parts.at(-1);
    if (last === undefined || size > BATCH_IDENTITIES) {
      parts.push([host]);
      size = host.addresses.length;
    } else last.push(host);
  }
  return parts.map(identitiesIn);
}
