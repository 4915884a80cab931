import type { ImportedScan } from "@nts/shared/contract";
import { type Coverage, COVERS_NOTHING } from "../coverage.rules.js";
import {
  createSkipped,
  MOST_ADDRESSES,
  MOST_OPEN_PORTS,
  MOST_SIGHTINGS,
  type Scan,
  type SeenHost,
  type Skipped,
} from "../scan.rules.js";
import { isPacked } from "../packed-hosts.rules.js";
import type { WiredDevice } from "../wiring/wiring.rules.js";
import { hostWithVisibleNames } from "./visible-names.js";

// Collects the hosts of a reader, up to the limit.

export interface Sightings {
  readonly skipped: Skipped;
  /** Adds a host, or skips it with a reason. @param what identifies it @param pack makes it small */
  add(host: SeenHost, what: string, pack?: (host: SeenHost) => SeenHost): void;
  /** Adds what a device says about its connections. */
  wire(device: WiredDevice): void;
  /** @param coverage of files that also report absence; null if nothing was observed */
  scan(info: ImportedScan, coverage?: Coverage | null): Scan;
}

/** @param most hosts */
export function createSightings(skipped = createSkipped(), most = MOST_SIGHTINGS): Sightings {
  const hosts: SeenHost[] = [];
  const devices: WiredDevice[] = [];
  let addresses = 0;
  let ports = 0;
  return {
    skipped,
    add: (host, what, pack) => {
      const skip = (limit: number, of: string): void => {
        skipped.add(host.line, what, `an import reads at most ${limit} ${of}`);
      };
      if (hosts.length === most) skip(most, "hosts");
      else if (addresses + host.addresses.length > MOST_ADDRESSES) skip(MOST_ADDRESSES, "addresses");
      else if (ports + host.ports.length > MOST_OPEN_PORTS) skip(MOST_OPEN_PORTS, "open ports");
      else {
        addresses += host.addresses.length;
        ports += host.ports.length;
        hosts.push(pack === undefined || isPacked(host) ? host : pack(hostWithVisibleNames(host, skipped)));
      }
    },
    wire: (device) => void devices.push(device),
    scan: (info, coverage = COVERS_NOTHING) => ({
      info,
      brokeOff: null,
      hosts,
      unanswered: 0,
      skipped,
      coverage,
      ...(devices.length > 0 && { devices }),
    }),
  };
}
