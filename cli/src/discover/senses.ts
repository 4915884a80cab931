import { setMaxListeners } from "node:events";
import { Late, type Pace } from "./pace.js";

// The ways in which a collector perceives a network. Each one can be left out, has a deadline, and says why it cannot be used.

/** In the order in which they are shown. */
export const SENSES = [
  "addresses",
  "sockets",
  "containers",
  "cluster",
  "leases",
  "neighbours",
  "ipv6",
  "ports",
  "services",
  "names",
  "mdns",
  "ssdp",
  "snmp",
  "lldp",
  "nmap",
  "proxmox",
  "unifi",
] as const;

export type Sense = (typeof SENSES)[number];

/** Those about the machine of the collector alone. */
export const OWN_SENSES: ReadonlySet<Sense> = new Set(["addresses", "sockets", "containers", "cluster", "leases"]);

/** What became of a sense. */
export interface SenseResult {
  readonly name: Sense;
  /** `off`: nobody has asked for it, or it has no settings. */
  readonly state: "ready" | "unavailable" | "off";
  /** As a sentence; null if all was done. */
  readonly reason: string | null;
}

export interface Senses {
  /**
   * Uses a sense, if it is wanted, until its deadline.
   *
   * @param task is given the time it has; what it throws makes the sense unavailable
   * @returns null if it is not wanted, or failed
   */
  use<Result>(
    name: Sense,
    deadlineMs: number,
    task: (given: { readonly signal: AbortSignal; readonly pace: Pace }) => Promise<Result>,
  ): Promise<Result | null>;
  isWanted(name: Sense): boolean;
  /** Something of it could not be done. */
  note(name: Sense, reason: string): void;
  /** It has found nothing to do. */
  leaveOut(name: Sense, reason: string): void;
  results(): SenseResult[];
}

/** All of them. */
export const ALL_SENSES: ReadonlySet<Sense> = new Set(SENSES);
/** Those about other machines. */
export const LOOKING_SENSES: ReadonlySet<Sense> = new Set(SENSES.filter((name) => !OWN_SENSES.has(name)));

/** What prevents the use of a sense, as a sentence. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/**
 * @param wanted those that are used
 * @param end `signal` ends all of them, and `untilMs` is their last deadline, as `performance.now()` counts
 */
export function createSenses(
  wanted: ReadonlySet<Sense>,
  rate: (signal: AbortSignal) => Pace,
  { signal, untilMs = Infinity }: { readonly signal: AbortSignal; readonly untilMs?: number },
): Senses {
  const used = new Map<Sense, SenseResult>();
  const put = (name: Sense, state: SenseResult["state"], reason: string | null): void => {
    const known = used.get(name);
    if ((known?.reason ?? null) === null) used.set(name, { name, state, reason });
  };
  return {
    isWanted: (name) => wanted.has(name),
    note: (name, reason) => put(name, "ready", reason),
    leaveOut: (name, reason) => put(name, "off", reason),
    use: async (name, longestMs, task) => {
      if (!wanted.has(name)) return null;
      const deadlineMs = Math.max(0, Math.min(longestMs, untilMs - performance.now()));
      const deadline = new AbortController();
      const seconds = Math.round(deadlineMs / 1_000);
      const late = new Late(`It was not finished after ${seconds} s.`);
      const timer = setTimeout(() => deadline.abort(late), deadlineMs);
      const both = AbortSignal.any([signal, deadline.signal]);
      // Many wait at once.
      setMaxListeners(0, both);
      try {
        const result = await task({ signal: both, pace: rate(both) });
        if (deadline.signal.aborted) put(name, "ready", late.message);
        else put(name, "ready", null);
        return result;
      } catch (error) {
        signal.throwIfAborted();
        put(name, "unavailable", (error as Error).message);
        return null;
      } finally {
        clearTimeout(timer);
      }
    },
    results: () =>
      SENSES.map(
        (name) => used.get(name) ?? { name, state: "off", reason: wanted.has(name) ? null : "It was not asked for." },
      ),
  };
}
