import type { Surroundings } from "../terminal.js";
import type { ReportedFile } from "./files.rules.js";
import { Unavailable } from "./senses.js";

// `nmap`, if it is present and wanted, in one of a few ways. It is only told options from here.

export const NMAP_PROFILES = ["services", "all-ports", "system"] as const;

export type NmapProfile = (typeof NMAP_PROFILES)[number];

const OPTIONS: Readonly<Record<NmapProfile, readonly string[]>> = {
  services: ["-sT", "-sV", "--version-intensity", "5"],
  "all-ports": ["-sT", "-p", "1-65535"],
  // Of these, only root may send what tells systems apart.
  system: ["-sS", "-sV", "-O", "--osscan-limit"],
};
/** Of one machine that answers slowly. */
const HOST_TIMEOUT = "5m";

export interface Scanning {
  readonly profile: NmapProfile;
  /** Those that answered; others are not looked at again. */
  readonly addresses: readonly string[];
  readonly excluded: readonly string[];
  readonly packetsPerSecond: number;
}

/** @throws Unavailable */
export async function scanWithNmap(
  { profile, addresses, excluded, packetsPerSecond }: Scanning,
  run: Surroundings["run"],
  signal: AbortSignal,
): Promise<ReportedFile | null> {
  if ((await run("nmap", ["--version"], { signal })) === null) throw new Unavailable("The program nmap is missing.");
  if (profile === "system" && process.getuid?.() !== 0)
    throw new Unavailable("Only root can look for systems with nmap: choose the profile services or all-ports.");
  if (addresses.length === 0) return null;
  const limits = ["--max-rate", String(packetsPerSecond), "--host-timeout", HOST_TIMEOUT];
  const without = excluded.length === 0 ? [] : ["--exclude", excluded.join(",")];
  const args = ["-n", "-Pn", ...OPTIONS[profile], ...limits, ...without, "-oX", "-", ...addresses];
  const text = await run("nmap", args, { signal });
  if (text === null) throw new Unavailable("The scan failed or took too long.");
  return { format: "nmap", name: "nmap", text };
}
