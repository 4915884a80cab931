import type { Surroundings } from "../terminal.js";
import type { ReportedFile } from "./files.rules.js";
import { Unavailable } from "./senses.js";

const COMMANDS: readonly (readonly string[])[] = [
  ["lldpctl", "-f", "json0"],
  ["lldpcli", "-f", "json0", "show", "neighbors", "details"],
];

/** What lldpd of this machine has heard from its neighbours. Nothing is sent. @throws Unavailable */
export async function heardByLldp(run: Surroundings["run"], signal: AbortSignal): Promise<ReportedFile> {
  for (const [program = "", ...args] of COMMANDS) {
    const text = await run(program, args, { signal });
    if (text !== null && text.trim() !== "") return { format: "lldp", name: "lldp", text };
  }
  throw new Unavailable("lldpd is missing or does not run, or this user is not in its group _lldpd.");
}
