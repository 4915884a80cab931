import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Findings } from "./found.js";

// The files in which DHCP servers keep their leases, by the defaults of systems and distributions.

/** A star stands for any part of a file's name. */
const USUAL = [
  // dnsmasq: Debian, Fedora, Arch, FreeBSD, OpenWrt, Pi-hole, NetworkManager
  ...["/var/lib/misc/dnsmasq.leases", "/var/lib/dnsmasq/dnsmasq.leases", "/var/db/dnsmasq.leases", "/tmp/dhcp.leases"],
  ...["/etc/pihole/dhcp.leases", "/var/lib/NetworkManager/dnsmasq-*.leases"],
  // odhcpd of OpenWrt
  ...["/tmp/hosts/odhcpd", "/tmp/odhcpd.leases"],
  // Kea: Linux, pfSense, FreeBSD, OPNsense
  ...["/var/lib/kea/kea-leases4.csv", "/var/lib/kea/kea-leases6.csv", "/var/lib/kea/dhcp4.leases"],
  ...["/var/lib/kea/dhcp6.leases", "/var/db/kea/kea-leases4.csv", "/var/db/kea/kea-leases6.csv"],
  // ISC: Debian, Fedora, FreeBSD and OpenBSD, pfSense and OPNsense
  ...["/var/lib/dhcp/dhcpd.leases", "/var/lib/dhcp/dhcpd6.leases", "/var/lib/dhcpd/dhcpd.leases"],
  ...["/var/lib/dhcpd/dhcpd6.leases", "/var/db/dhcpd.leases", "/var/db/dhcpd6.leases"],
  ...["/var/dhcpd/var/db/dhcpd.leases", "/var/dhcpd/var/db/dhcpd6.leases"],
];
const ABSENT: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);

/** Reads all lease files of this machine. @param more others, which must exist */
export async function readLeases(more: readonly string[], usual: readonly string[] = USUAL): Promise<Findings> {
  const files = new Map<string, string>();
  const unread: string[] = [];
  const read = async (path: string, isRequired: boolean): Promise<void> => {
    try {
      const text = await readFile(path, "utf8");
      if (text.trim() !== "") files.set(await realpath(path), text);
      else if (isRequired) unread.push(`leases: ${path} is empty.`);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (isRequired || !ABSENT.has(code)) unread.push(`leases: ${path} cannot be read (${code}).`);
    }
  };
  for (const path of (await Promise.all(usual.map(named))).flat()) await read(path, false);
  for (const path of more) await read(path, true);
  return {
    files: [...files.values()].map((text) => ({ source: "leases", format: "dhcp-leases", text, isOwn: false })),
    unread,
  };
}

/** The files that a path with a star names. */
async function named(path: string): Promise<readonly string[]> {
  const [before = "", after] = path.split("*");
  if (after === undefined) return [path];
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  return names
    .map((name) => join(folder, name))
    .filter((one) => one.startsWith(before) && one.endsWith(after))
    .sort();
}
