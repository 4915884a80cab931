import { discover, type DiscoverOptions, reasonsIn } from "../discover/discover.js";
import { textOf } from "../discover/report.rules.js";
import type { Surroundings } from "../terminal.js";
import { addressTable } from "../machine/addresses.rules.js";
import { readCluster } from "../machine/cluster.js";
import { inspectContainers } from "../machine/containers.js";
import type { Collected, Findings } from "../machine/found.js";
import { readLeases } from "../machine/leases.js";
import { readSockets } from "../machine/sockets.js";

// Sources of network data on a machine, as files that the API imports. Missing ones are skipped.

export interface CollectOptions {
  /** CIDR blocks to scan with nmap; by default none. */
  readonly scan: readonly string[];
  /** Lease files besides the usual ones. */
  readonly leases: readonly string[];
  /** Names of sources; empty for all. */
  readonly only: readonly string[];
  readonly hostname: string;
  /** Looks around; by default not. */
  readonly discover: DiscoverOptions | null;
}

/** @param onProgress called with what is being done */
type Source = (
  surroundings: Surroundings,
  options: CollectOptions,
  onProgress: (text: string) => void,
) => Promise<Findings>;

const NOTHING: Findings = { files: [], unread: [] };

/** In import order: the machine itself first, so that the others find it. */
export const SOURCES: Readonly<Record<string, Source>> = {
  addresses: async ({ run }, { hostname }) => {
    const text = await run("ip", ["-j", "addr"]);
    const table = text === null ? null : addressTable(text, hostname);
    if (table === null) return NOTHING;
    return {
      files: [{ source: "addresses", format: "csv", text: table, isOwn: false, resource: "interfaces" }],
      unread: [],
    };
  },
  ss: ({ run }) => readSockets(run),
  docker: (surroundings) => inspectContainers(surroundings),
  kubernetes: ({ run }) => readCluster(run),
  leases: (_surroundings, { leases }) => readLeases(leases),
  neighbours: ({ run }) => output("neighbours", run("ip", ["-j", "neigh"]), { format: "ip-neigh", isOwn: false }),
  discover: async ({ run, terminal }, { discover: options }, onProgress) => {
    if (options === null) return NOTHING;
    const discovered = await discover(options, { run, signal: terminal.signal, onProgress });
    const text = textOf(discovered.lines);
    const files = text === "" ? [] : [{ source: "discover", format: "report", text, isOwn: false } as const];
    return { files, unread: reasonsIn(discovered).map((reason) => `discover: ${reason}`) };
  },
  nmap: async ({ run }, { scan }) => {
    if (scan.length === 0) return NOTHING;
    const found = await output("nmap", run("nmap", ["-sV", "-T4", "-oX", "-", ...scan]), {
      format: "auto",
      isOwn: false,
    });
    return found.files.length > 0 ? found : { files: [], unread: ["nmap: it is not installed, or the scan failed."] };
  },
};

async function output(
  source: string,
  running: Promise<string | null>,
  rest: Pick<Collected, "format" | "isOwn">,
): Promise<Findings> {
  const text = (await running)?.trim() ?? "";
  return text === "" || text === "[]" ? NOTHING : { files: [{ source, text, ...rest }], unread: [] };
}
