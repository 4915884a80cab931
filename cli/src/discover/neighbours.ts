import { createSocket, type Socket } from "node:dgram";
import type { Surroundings } from "../terminal.js";
import { type Pace, pause } from "./pace.js";
import { Unavailable } from "./senses.js";

// Who is there on the links of this machine: a datagram to an address makes the kernel ask for its MAC address, which every
// machine answers. It needs no privileges.

/** Nothing listens there; the datagram is empty. */
const DISCARD = 9;
/** The kernel asks three times for the MAC address of whoever does not answer, with a second in between. */
const PACKETS = 3;
const LOOK_EVERY_MS = 400;
/** A remembered address is asked again after 5 s, three times within 3 s; on a busy machine, later. */
const MOST_MS = 15_000;
/** Those for which the kernel has had no room are asked again, when others have been forgotten. */
const MOST_ROUNDS = 3;
/** States in which the kernel does not know yet. */
const OPEN: ReadonlySet<string> = new Set(["INCOMPLETE", "DELAY", "PROBE"]);
/** It has answered, or does not have to be asked. */
const ANSWERED: ReadonlySet<string> = new Set(["REACHABLE", "PERMANENT"]);
/** It had answered, if that was a while ago. */
const KEPT: ReadonlySet<string> = new Set(["REACHABLE", "PERMANENT", "STALE"]);

/** An entry of the kernel's table. */
export interface Neighbour {
  readonly dst: string;
  readonly lladdr?: string;
  readonly state?: readonly string[];
}

export interface Neighbours {
  /** MAC addresses by address. */
  readonly macs: ReadonlyMap<string, string>;
  /** Those of which nothing is known: the kernel's table was full, or it was still asking. */
  readonly unknown: ReadonlySet<string>;
}

type Asking = Pick<Surroundings, "run"> & { readonly pace: Pace; readonly signal: AbortSignal };

/**
 * Asks every address, and waits for the answers.
 *
 * @param expected those that answered lately: silence may be a lost answer or a machine asleep, and they are asked again
 * @throws Unavailable if the neighbour table cannot be read here
 */
export async function findNeighbours(
  addresses: readonly string[],
  expected: ReadonlySet<string>,
  asking: Asking,
): Promise<Neighbours> {
  const macs = new Map<string, string>();
  let unknown: ReadonlySet<string> = new Set(addresses);
  for (let round = 0; unknown.size > 0 && round < MOST_ROUNDS; round++)
    unknown = await askOnce([...unknown], macs, asking);
  const silent = addresses.filter((ip) => expected.has(ip) && !macs.has(ip) && !unknown.has(ip));
  if (silent.length > 0) unknown = new Set([...unknown, ...(await askOnce(silent, macs, asking))]);
  return { macs, unknown };
}

/** @param macs gets those that answer @returns addresses of which nothing is known afterwards */
async function askOnce(
  addresses: readonly string[],
  macs: Map<string, string>,
  { run, pace, signal }: Asking,
): Promise<Set<string>> {
  const sent = new Set<string>();
  const unknown = new Set(addresses);
  let isAllSent = false;
  let open = new Set<string>();
  // The kernel forgets entries when there are many, so that they are read while others are being asked.
  const read = async (accepted: ReadonlySet<string>): Promise<void> => {
    const before = new Set(sent);
    const text = await run("ip", ["-4", "-j", "neigh"], { signal });
    if (text === null) throw new Unavailable("The program ip is missing: machines are looked for by their ports.");
    const table = (JSON.parse(text === "" ? "[]" : text) as readonly Neighbour[]).filter(({ dst }) => before.has(dst));
    const listed = new Set(table.map(({ dst }) => dst));
    // The kernel only forgets those that have not answered.
    for (const dst of open) if (!listed.has(dst)) unknown.delete(dst);
    open = new Set();
    for (const { dst, lladdr, state = [] } of table) {
      const isOpen = state.some((one) => OPEN.has(one));
      if (isOpen) open.add(dst);
      if (lladdr !== undefined && state.some((one) => accepted.has(one))) macs.set(dst, lladdr);
      if (isOpen && !macs.has(dst)) unknown.add(dst);
      else unknown.delete(dst);
    }
  };
  const reading = async (): Promise<void> => {
    while (!isAllSent) {
      await pause(LOOK_EVERY_MS, signal);
      await read(ANSWERED);
    }
  };
  const socket = createSocket("udp4");
  // Answers of routers that an address cannot be reached.
  socket.on("error", () => undefined);
  const sending = async (): Promise<void> => {
    try {
      for (const ip of addresses) {
        await pace(PACKETS);
        await sendTo(socket, ip);
        sent.add(ip);
      }
    } finally {
      isAllSent = true;
      socket.close();
    }
  };
  await Promise.all([sending(), reading()]);
  const endMs = performance.now() + MOST_MS;
  do {
    await pause(LOOK_EVERY_MS, signal);
    await read(KEPT);
  } while (open.size > 0 && performance.now() < endMs);
  return unknown;
}

function sendTo(socket: Socket, ip: string): Promise<void> {
  return new Promise((resolve) => socket.send(Buffer.alloc(0), DISCARD, ip, () => resolve()));
}
