import type { Surroundings } from "../terminal.js";
import type { Neighbour } from "./neighbours.js";
import type { Pace } from "./pace.js";
import { Unavailable } from "./senses.js";

// IPv6 neighbours: an echo to all machines of a link, which they answer from their addresses; the kernel then knows their MAC
// addresses. Only `ping` may send it without privileges.

/** The first two leave a second each for answers. */
const ECHOES = 3;
const ALL_MACHINES = "ff02::1";
/** Such as `64 bytes from 2001:db8::5: icmp_seq=1 ttl=64 time=0.05 ms (DUP!)`. */
const ANSWER = /^\d+ bytes from ([\da-f:]+)(?:%\S+)?: /gim;

/** An address of this machine from which others are asked. */
export interface Asking {
  readonly ip: string;
  /** The name of its interface. */
  readonly link: string;
}

export interface Ipv6Neighbour {
  readonly ip: string;
  readonly mac: string;
}

/**
 * Asks on every link. A machine answers from an address that fits the one it is asked from, so that several are asked from.
 *
 * @throws Unavailable
 */
export async function findIpv6(
  from: readonly Asking[],
  { run, pace, signal }: Pick<Surroundings, "run"> & { readonly pace: Pace; readonly signal: AbortSignal },
): Promise<Ipv6Neighbour[]> {
  if (from.length === 0) throw new Unavailable("This machine has no IPv6 address that others can reach.");
  if ((await run("ping", ["-V"], { signal })) === null) throw new Unavailable("The program ping is missing.");
  const found = new Map<string, string>();
  for (const { ip, link } of from) {
    for (let n = 0; n < ECHOES; n++) await pace();
    const options = ["-6", "-n", "-c", String(ECHOES), "-i", "1", "-W", "1", "-I", ip];
    const answering = answeringIn((await run("ping", [...options, `${ALL_MACHINES}%${link}`], { signal })) ?? "");
    const text = await run("ip", ["-6", "-j", "neigh", "show", "dev", link], { signal });
    if (text === null) throw new Unavailable("The program ip is missing.");
    const table = JSON.parse(text === "" ? "[]" : text) as readonly Neighbour[];
    // It has just answered, so that the state of its entry does not matter.
    for (const { dst, lladdr } of table) if (lladdr !== undefined && answering.has(dst)) found.set(dst, lladdr);
  }
  return [...found].map(([ip, mac]) => ({ ip, mac }));
}

/** The addresses in the output of `ping` that answered. */
export function answeringIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(ANSWER)].flatMap(([, ip]) => ip ?? []));
}
