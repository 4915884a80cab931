import type { z } from "zod";
import type { LinkCreate } from "../contract/links.js";
import type { SubnetKey } from "./data.js";

/** The VLANs of the sample network, each with its subnet. */
export const VLANS: readonly { readonly vid: number; readonly name: string; readonly subnet: SubnetKey }[] = [
  { vid: 10, name: "Servers", subnet: "servers" },
  { vid: 20, name: "Office", subnet: "office" },
  { vid: 30, name: "IoT", subnet: "iot" },
  { vid: 40, name: "DMZ", subnet: "dmz" },
];

const CORE = "Core switch";
const ALL = [10, 20, 30, 40];

/** A cable or radio link: a device, its port, what it hangs on, and the port there. */
interface SampleLink {
  readonly of: string;
  readonly port: string;
  readonly to: string;
  /** Null where nothing names it, as with access points. */
  readonly at: string | null;
  readonly mbps: number | null;
  readonly vids: readonly number[];
}

const cable = (of: string, port: string, at: number, mbps: number, vids: readonly number[]): SampleLink => ({
  ...{ of, port, to: CORE, at: `Gi1/0/${at}`, mbps, vids },
});
const radio = (of: string, port: string, to: string, vid: number): SampleLink => ({
  ...{ of, port, to, at: null, mbps: null, vids: [vid] },
});

export const LINKS: readonly SampleLink[] = [
  cable("Firewall", "igb0", 1, 1_000, ALL),
  cable("Proxmox 1", "vmbr0", 2, 10_000, ALL),
  cable("Proxmox 2", "vmbr0", 3, 10_000, ALL),
  cable("NAS", "eth0", 4, 10_000, [10, 20]),
  cable("Backup server", "eno1", 6, 1_000, [10]),
  cable("Access point first floor", "eth0", 21, 1_000, ALL),
  cable("Access point second floor", "eth0", 22, 1_000, ALL),
  cable("Telephone system", "eth0", 24, 1_000, [20]),
  cable("Printer first floor", "eth0", 25, 100, [20]),
  cable("Printer second floor", "eth0", 26, 100, [20]),
  cable("Accounting workstation", "eno1", 27, 1_000, [20]),
  cable("Design workstation", "eno1", 28, 1_000, [20]),
  cable("Building control", "eth0", 33, 1_000, [30]),
  cable("Door station", "eth0", 34, 100, [30]),
  cable("Camera yard", "eth0", 35, 100, [30]),
  cable("Video recorder", "eth0", 36, 1_000, [30]),
  radio("Developer workstation", "wlan0", "Access point second floor", 20),
  radio("Meeting room display", "wlan0", "Access point first floor", 20),
  radio("Power meter", "wlan0", "Access point first floor", 30),
];

interface KnownHost {
  readonly id: string;
  readonly name: string;
  readonly interfaces: readonly { readonly id: string; readonly name: string | null }[];
}

/** The bodies that create the links between hosts that exist. @param vlanIds by number */
export function linkBodies(
  network_id: string,
  hosts: readonly KnownHost[],
  vlanIds: ReadonlyMap<number, string>,
): z.output<typeof LinkCreate>[] {
  const named = new Map(hosts.map((host) => [host.name, host]));
  return LINKS.flatMap(({ of, port, to, at, mbps, vids }) => {
    const device = named.get(of);
    const other = named.get(to);
    if (device === undefined || other === undefined) return [];
    const card = device.interfaces.find(({ name }) => name === port);
    const ends = [
      { host_id: device.id, interface_id: card?.id ?? null, port: card === undefined ? port : null },
      { host_id: other.id, interface_id: null, port: at },
    ];
    const vlan_ids = vids.flatMap((vid) => vlanIds.get(vid) ?? []);
    const kind = at === null ? ("Wireless" as const) : ("Ethernet" as const);
    return [{ network_id, kind, ends, vlan_ids, speed_mbps: mbps, tags: [] }];
  });
}
