import type { HostRecord, Interface, Role } from "@nts/shared/contract";
import type { NamedHost } from "../../storage/stores/host-names.js";
import { createKnownInterfaces } from "../match.rules.js";
import { createKnownNames } from "../names.rules.js";
import { runnersOf } from "../../values/runners.rules.js";
import { UNMANAGED } from "../../values/unmanaged.rules.js";
import type { SeenHost } from "../scan.rules.js";
import type { MachineKeys, Machines, WiredDevice } from "./wiring.rules.js";

// The hosts at the ends of links: those of the file, and others that exist, by MAC addresses in tables of switches.

/** What must be known of a host. */
export interface HostFacts {
  readonly id: string;
  readonly name: string;
  readonly role: Role | null;
  /** The host that it runs on. */
  readonly runner: string | null;
  /** An unmanaged switch. */
  readonly isUnmanaged: boolean;
}

export function factsOfHost(host: HostRecord): HostFacts {
  const { id, name, role, observed, attributes } = host;
  return {
    id,
    name,
    role: role ?? observed?.role?.value ?? null,
    runner: runnersOf(host).find(({ kind }) => kind === "host")?.id ?? null,
    isUnmanaged: attributes[UNMANAGED] === true,
  };
}

export interface MachineIndex {
  /** Records existing interfaces and hosts with MAC addresses of the tables. */
  add(interfaces: readonly Interface[], hosts: readonly NamedHost[]): void;
  /** MAC addresses of tables that are not those of hosts of the file. */
  readonly others: readonly string[];
  /** Ids of all hosts that may be at the ends of links. */
  hostIds(): readonly string[];
  machines(facts: ReadonlyMap<string, HostFacts>): Machines;
}

/**
 * @param hosts of the file
 * @param idOf the id of a host of the file; undefined if it is not imported
 */
export function createMachineIndex(
  devices: readonly WiredDevice[],
  hosts: readonly SeenHost[],
  idOf: (index: number) => string | undefined,
): MachineIndex {
  const byMac = new Map<string, number>();
  const byIp = new Map<string, number>();
  const byName = new Map<string, number | null>();
  for (const [index, { addresses, cards = [], hostname, name = null }] of hosts.entries()) {
    for (const { ip, mac } of addresses) {
      byIp.set(ip, index);
      if (mac !== null) byMac.set(mac, index);
    }
    for (const mac of cards) if (!byMac.has(mac)) byMac.set(mac, index);
    for (const one of new Set([hostname, name].flatMap((text) => text?.toLowerCase() ?? [])))
      byName.set(one, byName.has(one) ? null : index);
  }
  const named = hosts.findIndex(({ isNamed = false }) => isNamed);
  const learnt = new Set(devices.flatMap(({ table }) => (table ?? []).map(({ mac }) => mac)));
  const known = createKnownInterfaces();
  const names = createKnownNames();

  /** Of a host of the file, or of the only other one with a MAC address. */
  function ofMac(mac: string): string | null {
    const index = byMac.get(mac);
    if (index !== undefined) return idOf(index) ?? null;
    const owners = new Set(known.withMac(mac).map(({ host_id }) => host_id));
    const [only, another] = owners;
    if (only !== undefined) return another === undefined ? only : null;
    return names.withLostMac(mac)?.id ?? null;
  }

  function of({ macs, ips, name, isNamed = false }: MachineKeys): string | null {
    if (isNamed) return idOf(named) ?? null;
    for (const mac of macs) {
      const found = ofMac(mac);
      if (found !== null) return found;
    }
    for (const ip of ips) {
      const index = byIp.get(ip);
      if (index !== undefined) return idOf(index) ?? null;
    }
    const index = name === null ? null : (byName.get(name.toLowerCase()) ?? null);
    return index === null ? null : (idOf(index) ?? null);
  }

  return {
    add: (interfaces, found) => {
      known.add(interfaces);
      names.add(found);
    },
    others: [...learnt].filter((mac) => !byMac.has(mac)),
    hostIds: () => {
      const ids = new Set<string>();
      for (const mac of learnt) ids.add(ofMac(mac) ?? "");
      for (const { machine, neighbours } of devices)
        for (const keys of [machine, ...neighbours.map((one) => one.machine)]) ids.add(of(keys) ?? "");
      ids.delete("");
      return [...ids];
    },
    machines: (facts) => ({
      of,
      ofMac,
      runnerOf: (machine) => facts.get(machine)?.runner ?? null,
      roleOf: (machine) => facts.get(machine)?.role ?? null,
      nameOf: (machine) => facts.get(machine)?.name ?? "a host",
    }),
  };
}
