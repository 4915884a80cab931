import { putUnder } from "@nts/shared/groups";
import type { SeenHost } from "../scan.rules.js";
import type { WiredDevice } from "../wiring/wiring.rules.js";
import { barePort, hostOfNeighbour, keysOfNeighbour, placesOf } from "./neighbours.js";
import type { Sightings } from "./sightings.js";
import { clip, macIn } from "./texts.js";

// Tables that say at which port of which switch a machine is plugged in. That is what a switch says by its table of MAC
// addresses, and is decided in the same way.

const LONGEST = 100;
/** What programs write instead of a device. */
const NO_DEVICE = /^(?:internet|wan|lan|wi-?fi|wlan|wireless|ethernet|wired|gateway)$/i;

/** A machine at a port of a switch. */
export interface Plug {
  readonly line: number;
  /** The name of the switch, or its MAC address. */
  readonly of: string;
  readonly port: string;
  readonly machine: SeenHost;
}

/** Adds the switches and their ports. @param hosts all machines of the table, among which switches may be */
export function wirePlugs(plugs: readonly Plug[], hosts: readonly SeenHost[], sightings: Sightings): void {
  const known = new Set<string | undefined>(
    hosts.flatMap(({ name = null, hostname, addresses, cards = [] }) => [
      ...[name, hostname].map((one) => one?.toLowerCase()),
      ...cards,
      ...addresses.flatMap(({ mac }) => mac ?? []),
    ]),
  );
  const bySwitch = new Map<string, Plug[]>();
  for (const plug of plugs) putUnder(bySwitch, plug.of.toLowerCase(), plug);
  for (const ones of bySwitch.values()) {
    const [{ of: written, line }] = ones as [Plug, ...Plug[]];
    const mac = macIn(written);
    const introduced = {
      ...{ line, macs: mac === null ? [] : [mac], ips: [], name: mac === null ? written : "" },
      ...{ description: "", abilities: new Set(["bridge"] as const) },
    };
    const what = `switch ${clip(written, LONGEST) ?? ""}`;
    const host = NO_DEVICE.test(written) ? null : hostOfNeighbour(introduced);
    if (host === null) {
      sightings.skipped.add(line, what, "nothing identifies it");
      continue;
    }
    if (!known.has(mac ?? written.toLowerCase())) sightings.add(host, what);
    sightings.wire(deviceOf(ones, { line, name: what, machine: keysOfNeighbour(introduced) }));
  }
}

function deviceOf(plugs: readonly Plug[], known: Pick<WiredDevice, "line" | "name" | "machine">): WiredDevice {
  const places = placesOf(plugs.map(({ port }) => port));
  const ports = [...places.keys()].map(barePort);
  const cardsOf = ({ addresses }: SeenHost): string[] => [...new Set(addresses.flatMap(({ mac }) => mac ?? []))];
  const table = plugs.flatMap(({ port, machine }) =>
    cardsOf(machine).map((mac) => ({ port: places.get(port) ?? 0, mac })),
  );
  const neighbours = plugs
    .filter(({ machine }) => cardsOf(machine).length === 0)
    .map(({ line, port, machine: { addresses, hostname, name = null } }) => ({
      ...{ line, by: "lldp" as const, port: places.get(port) ?? 0, portNames: [], portMac: null },
      machine: { macs: [], ips: addresses.map(({ ip }) => ip), name: hostname ?? name },
    }));
  return { ...known, ports, neighbours, table: table.length === 0 ? null : table, vlans: [] };
}
