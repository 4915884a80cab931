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

/** At a port of the core switch; with all VLANs, or one. */
const cable = (
  at: number,
  of: string,
  port: string,
  { mbps = 1_000, vid }: { mbps?: number; vid?: number } = {},
): SampleLink => ({
  ...{ of, port, to: CORE, at: `Gi1/0/${at}`, mbps, vids: vid === undefined ? ALL : [vid] },
});
const radio = (of: string, port: string, to: string, vid: number): SampleLink => ({
  ...{ of, port, to, at: null, mbps: null, vids: [vid] },
});

export const LINKS: readonly SampleLink[] = [
  cable(1, "Firewall", "igb0"),
  cable(2, "Proxmox 1", "vmbr0", { mbps: 10_000 }),
  cable(3, "Proxmox 2", "vmbr0", { mbps: 10_000 }),
  cable(4, "NAS", "eth0", { mbps: 10_000, vid: 10 }),
  cable(6, "Backup server", "eno1", { vid: 10 }),
  cable(21, "Access point first floor", "eth0"),
  cable(22, "Access point second floor", "eth0"),
  cable(24, "Telephone system", "eth0", { vid: 20 }),
  cable(25, "Printer first floor", "eth0", { mbps: 100, vid: 20 }),
  cable(26, "Printer second floor", "eth0", { mbps: 100, vid: 20 }),
  cable(27, "Accounting workstation", "eno1", { vid: 20 }),
  cable(28, "Design workstation", "eno1", { vid: 20 }),
  cable(33, "Building control", "eth0", { vid: 30 }),
  cable(34, "Door station", "eth0", { mbps: 100, vid: 30 }),
  cable(35, "Camera yard", "eth0", { mbps: 100, vid: 30 }),
  cable(36, "Video recorder", "eth0", { vid: 30 }),
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
