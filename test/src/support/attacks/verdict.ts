/** Judges the effect of an attack on a victim and on the processes. */
import type { Measurements, Timings } from "./victim.js";

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

/** Limits in milliseconds. */
export interface Limits {
  /** Of the slowest read of the victim, unless 30 of its idle medians are more. */
  readonly readMs: number;
  /** Of its slowest other work. */
  readonly workMs: number;
}

export function verdictOn({ idle, attacked, wrong }: Evidence, { readMs, workMs }: Limits): Verdict {
  const isWaiting = waitingIn(attacked);
  const work = Object.entries(attacked.work);
  const faults = [
    ...wrong.filter((failure) => !isWaiting(failure)),
    ...faultsOf(attacked),
    ...work.flatMap(([, timings]) => failuresIn(timings, (failure) => !isWaiting(failure))),
  ];
  const slow = [
    ...wrong.filter(isWaiting),
    ...slowness(attacked, attacked, Math.max(readMs, IDLE_FACTOR * idle.medianMs)),
    ...work.flatMap(([name, timings]) => slowness(attacked, timings, workMs).map((fault) => `${name}: ${fault}`)),
  ];
  return {
    faults: [...faults, ...slow],
    isSlowOnly: faults.length === 0 && slow.length > 0,
    isStarved: starvedMostIn(attacked).ms > STARVED_MS && attacked.othersShare > OTHERS_SHARE_LIMIT,
  };
}

/** MongoDB's memory is its cache, whose size is a setting. */
const BOUNDED_BY_SETTING = "mongod";

function faultsOf(seen: Measurements): string[] {
  const grown = Object.entries(seen.grownBytes).filter(
    ([name, by]) => name !== BOUNDED_BY_SETTING && by > GROWTH_LIMIT_BYTES,
  );
  const isWaiting = waitingIn(seen);
  return [
    ...failuresIn(seen, (failure) => !isWaiting(failure)),
    ...grown.map(([name, by]) => `${name} took ${(by / 2 ** 20).toFixed(0)} MiB more memory`),
  ];
}

/** A sentence on the failures of a kind; empty if there are none. */
function failuresIn({ failures, responses }: Timings, isMeant: (failure: string) => boolean): string[] {
  const [first] = failures.filter(isMeant);
  const all = failures.length + responses;
  return first === undefined ? [] : [`${failures.length} of ${all} requests of the victim failed, first ${first}`];
}

/**
 * Which failures are timeouts of the gateway or a client. When a process was starved for long, the gateway may also
 * have considered it unavailable.
 */
function waitingIn(seen: Measurements): (failure: string) => boolean {
  const sign = starvedMostIn(seen).ms > STARVED_MS ? /\b50[34]\b|no response within / : /: 504$|: no response within /;
  return (failure) => sign.test(failure);
}

/** What was slow of some requests, and why they may have been. */
function slowness(seen: Measurements, timings: Timings, limitMs: number): string[] {
  const { responses, failures, slowestMs } = timings;
  const slow =
    slowestMs > limitMs ? [`the victim waited ${slowestMs.toFixed(0)} ms, more than ${limitMs.toFixed(0)}`] : [];
  const silent = responses === 0 && failures.length === 0 ? ["the victim got no response"] : [];
  const faults = [...failuresIn(timings, waitingIn(seen)), ...silent, ...slow];
  const { name, ms } = starvedMostIn(seen);
  const starved = `${name} had no processor for ${ms.toFixed(0)} ms, others had ${seen.othersShare.toFixed(1)}`;
  return faults.map((fault) => `${fault}; ${starved}`);
}

/** The process that waited longest for a processor. */
function starvedMostIn({ starvedMs }: Measurements): { readonly name: string; readonly ms: number } {
  const [name, ms] = Object.entries(starvedMs).sort(([, a], [, b]) => b - a)[0] ?? ["nobody", 0];
  return { name, ms };
}
