import { readFile } from "node:fs/promises";
import type { Surroundings } from "../terminal.js";
import { addressTable } from "./addresses.rules.js";
import { inspectContainers } from "./containers.js";

// Sources of network data on a machine, as files that the API imports. Missing ones are skipped.

/** A file of a source. */
export interface Collected {
  readonly source: string;
  /** The import format. */
  readonly format: "csv" | "ss" | "docker" | "ip-neigh" | "dhcp-leases" | "auto";
  readonly text: string;
  /** The file describes this machine, which must be named. */
  readonly isOwn: boolean;
  readonly resource?: "interfaces";
}

export interface Asked {
  /** CIDR blocks to scan with nmap; by default none. */
  readonly scan: readonly string[];
  /** Names of sources; empty for all. */
  readonly only: readonly string[];
  readonly hostname: string;
}

type Source = (surroundings: Surroundings, asked: Asked) => Promise<Collected | null>;

const LEASES = [
  ...["/var/lib/misc/dnsmasq.leases", "/var/lib/dnsmasq/dnsmasq.leases", "/tmp/dhcp.leases"],
  ...["/var/lib/kea/kea-leases4.csv", "/var/lib/dhcp/dhcpd.leases"],
];

const SS = ["-H", "-tulnp"];

/** In import order: the machine itself first, so that the others find it. */
export const SOURCES: Readonly<Record<string, Source>> = {
  addresses: async ({ run }, { hostname }) => {
    const text = await run("ip", ["-j", "addr"]);
    const table = text === null ? null : addressTable(text, hostname);
    return table === null
      ? null
      : { source: "addresses", format: "csv", text: table, isOwn: false, resource: "interfaces" };
  },
  // With the command in its first line, a file has every socket.
  ss: ({ run }) => output("ss", run("ss", SS), { format: "ss", isOwn: true }, `# ss ${SS.join(" ")}\n`),
  docker: (surroundings) => output("docker", inspectContainers(surroundings), { format: "docker", isOwn: true }),
  leases: async () => {
    for (const path of LEASES) {
      const text = await readFile(path, "utf8").catch(() => "");
      if (text.trim() !== "") return { source: "leases", format: "dhcp-leases", text, isOwn: false };
    }
    return null;
  },
  neighbours: ({ run }) => output("neighbours", run("ip", ["-j", "neigh"]), { format: "ip-neigh", isOwn: false }),
  nmap: async ({ run }, { scan }) =>
    scan.length === 0
      ? null
      : output("nmap", run("nmap", ["-sV", "-T4", "-oX", "-", ...scan]), { format: "auto", isOwn: false }),
};

async function output(
  source: string,
  running: Promise<string | null>,
  rest: Pick<Collected, "format" | "isOwn">,
  heading = "",
): Promise<Collected | null> {
  const text = (await running)?.trim() ?? "";
  return text === "" || text === "[]" ? null : { source, text: heading + text, ...rest };
}
