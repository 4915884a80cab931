/** Judges the effect of an attack on a victim and on the processes. */
import type { Measurements } from "./victim.js";

const GROWTH_LIMIT_BYTES = 150 * 1024 * 1024;
const IDLE_FACTOR = 30;
/** The attack uses the processors too: less than half of one used by others does not slow a system down. */
const STARVED_MS = 1_000;
const OTHERS_SHARE_LIMIT = 0.5;

export interface Verdict {
  /** Violations; empty when the system withstood the attack. */
  readonly faults: readonly string[];
  /** The only violations are slow responses or timeouts. */
  readonly isSlowOnly: boolean;
  /** Other programs used the processors, so slow responses prove nothing. */
  readonly isStarved: boolean;
}

/** The victim's measurements before and during an attack, and other failures, as sentences. */
export interface Evidence {
  readonly idle: Measurements;
  readonly attacked: Measurements;
  readonly wrong: readonly string[];
}

/** @param slowLimitMs the limit of the slowest response to the victim, unless 30 of its idle medians are more */
export function verdictOn({ idle, attacked, wrong }: Evidence, slowLimitMs: number): Verdict {
  const isWaiting = waitingIn(attacked);
  const faults = [...wrong.filter((failure) => !isWaiting(failure)), ...faultsOf(attacked)];
  const slow = [...wrong.filter(isWaiting), ...slowness(attacked, Math.max(slowLimitMs, IDLE_FACTOR * idle.medianMs))];
  return {
    faults: [...faults, ...slow],
    isSlowOnly: faults.length === 0 && slow.length > 0,
    isStarved: starvedMostIn(attacked).ms > STARVED_MS && attacked.othersShare > OTHERS_SHARE_LIMIT,
  };
}

/** MongoDB's memory is its cache, whose size is a setting. */
const BOUNDED_BY_SETTING = "mongod";

function faultsOf(seen: Measurements): string[] {
  const { failures, grownBytes, responses } = seen;
  const grown = Object.entries(grownBytes).filter(
    ([name, by]) => name !== BOUNDED_BY_SETTING && by > GROWTH_LIMIT_BYTES,
  );
  const isWaiting = waitingIn(seen);
  const wrong = failures.filter((failure) => !isWaiting(failure));
  return [
    ...(wrong.length > 0 ? [failed(wrong, failures.length + responses)] : []),
    ...grown.map(([name, by]) => `${name} took ${(by / 2 ** 20).toFixed(0)} MiB more memory`),
  ];
}

const failed = (failures: readonly string[], all: number): string =>
  `${failures.length} of ${all} requests of the victim failed, first ${failures[0] ?? ""}`;

/**
 * Which failures are timeouts of the gateway or a client. When a process was starved for long, the gateway may also
 * have considered it unavailable.
 */
function waitingIn(seen: Measurements): (failure: string) => boolean {
  const sign = starvedMostIn(seen).ms > STARVED_MS ? /\b50[34]\b|no response within / : /: 504$|: no response within /;
  return (failure) => sign.test(failure);
}

function slowness(seen: Measurements, limitMs: number): string[] {
  const { responses, failures, slowestMs, othersShare } = seen;
  const waited = failures.filter(waitingIn(seen));
  const slow = slowestMs > limitMs ? [`the victim waited ${slowestMs.toFixed(0)} ms, more than ${limitMs.toFixed(0)}`] : []; // prettier-ignore
  const silent = responses === 0 ? ["the victim got no response"] : [];
  const faults = [...(waited.length > 0 ? [failed(waited, failures.length + responses)] : []), ...silent, ...slow];
  const { name, ms } = starvedMostIn(seen);
  const starved = `${name} had no processor for ${ms.toFixed(0)} ms, others had ${othersShare.toFixed(1)}`;
  return faults.map((fault) => `${fault}; ${starved}`);
}

/** The process that waited longest for a processor. */
function starvedMostIn({ starvedMs }: Measurements): { readonly name: string; readonly ms: number } {
  const [name, ms] = Object.entries(starvedMs).sort(([, a], [, b]) => b - a)[0] ?? ["nobody", 0];
  return { name, ms };
}
