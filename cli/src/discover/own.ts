import { hostname, networkInterfaces } from "node:os";
import type { Surroundings } from "../terminal.js";
import { inspectContainers } from "../machine/containers.js";
import { readCluster } from "../machine/cluster.js";
import type { Findings } from "../machine/found.js";
import { readLeases } from "../machine/leases.js";
import { readSockets } from "../machine/sockets.js";
import { ownAddressesAmong, ownIpv6Among } from "./blocks.js";
import type { ReportedFile } from "./files.rules.js";
import { type Sense, type Senses, Unavailable } from "./senses.js";

// What the machine of the collector knows of itself, and what other machines have told it.

const DEADLINE_MS = 30_000;

export interface OwnMachine {
  readonly hostname: string;
  readonly addresses: readonly { readonly ip: string; readonly mac: string }[];
  readonly files: readonly ReportedFile[];
}

/** @param leases files besides the usual ones */
export async function lookAtOwnMachine(
  senses: Senses,
  { run }: Pick<Surroundings, "run">,
  leases: readonly string[],
): Promise<OwnMachine> {
  const files: ReportedFile[] = [];
  const sources: readonly (readonly [Sense, (ended: Surroundings["run"]) => Promise<Findings>, string])[] = [
    ["sockets", (ended) => readSockets(ended), "The program ss is missing."],
    ["containers", (ended) => inspectContainers({ run: ended }), "Neither Docker nor Podman is here."],
    ["cluster", (ended) => readCluster(ended), "kubectl is missing or has no cluster."],
    ["leases", () => readLeases(leases), "No DHCP server keeps its leases here."],
  ];
  for (const [name, read, missing] of sources) {
    const found = await senses.use(name, DEADLINE_MS, async ({ signal }) => {
      const findings = await read((program, args, options) => run(program, args, { ...options, signal }));
      if (findings.files.length === 0) throw new Unavailable(findings.unread[0] ?? missing);
      return findings;
    });
    for (const reason of found?.unread ?? []) senses.note(name, reason);
    for (const [at, { format, text }] of (found?.files ?? []).entries())
      files.push({ format: format as ReportedFile["format"], name: at === 0 ? name : `${name} ${at + 1}`, text });
  }
  const addresses = await senses.use("addresses", DEADLINE_MS, () => {
    const interfaces = networkInterfaces();
    return Promise.resolve(
      [...ownAddressesAmong(interfaces), ...ownIpv6Among(interfaces)].map(({ ip, mac }) => ({ ip, mac })),
    );
  });
  return { hostname: hostname(), addresses: addresses ?? [], files };
}
