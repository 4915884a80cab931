import { createSocket } from "node:dgram";
import type { Surroundings } from "../terminal.js";
import { type Pace, pause } from "./pace.js";
import { Unavailable } from "./senses.js";

// Who is there on the links of this machine: a datagram to an address makes the kernel ask for its MAC address, which every
// machine answers. It needs no privileges.

/** Nothing listens there; the datagram is empty. */
const DISCARD = 9;
const LOOK_EVERY_MS = 400;
/** A remembered address is asked again after 5 s, three times within 3 s. */
const MOST_MS = 9_000;
/** States in which the kernel does not know yet. */
const OPEN: ReadonlySet<string> = new Set(["INCOMPLETE", "DELAY", "PROBE"]);
const PRESENT: ReadonlySet<string> = new Set(["REACHABLE", "STALE", "PERMANENT"]);

/** An entry of the kernel's table. */
export interface Neighbour {
  readonly dst: string;
  readonly lladdr?: string;
  readonly state?: readonly string[];
}

/**
 * Asks every address, and waits for the answers.
 *
 * @returns MAC addresses by address
 * @throws Unavailable if the neighbour table cannot be read here
 */
export async function findNeighbours(
  addresses: readonly string[],
  { run, pace, signal }: Pick<Surroundings, "run"> & { readonly pace: Pace; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> {
  if (addresses.length === 0) return new Map();
  const socket = createSocket("udp4");
  // Answers of routers that an address cannot be reached.
  socket.on("error", () => undefined);
  try {
    for (const ip of addresses) {
      await pace();
      await new Promise<void>((resolve) => socket.send(Buffer.alloc(0), DISCARD, ip, () => resolve()));
    }
  } finally {
    socket.close();
  }
  const wanted = new Set(addresses);
  for (const endMs = performance.now() + MOST_MS; ;) {
    await pause(LOOK_EVERY_MS, signal);
    const text = await run("ip", ["-4", "-j", "neigh"]);
    if (text === null) throw new Unavailable("The program ip is missing: machines are looked for by their ports.");
    const table = (JSON.parse(text === "" ? "[]" : text) as readonly Neighbour[]).filter(({ dst }) => wanted.has(dst));
    const isDone = !table.some(({ state }) => state?.some((one) => OPEN.has(one)));
    if (isDone || performance.now() > endMs)
      return new Map(
        table.flatMap(({ dst, lladdr, state }): [string, string][] =>
          lladdr !== undefined && state?.some((one) => PRESENT.has(one)) === true ? [[dst, lladdr]] : [],
        ),
      );
  }
}
