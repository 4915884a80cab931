/** Judges what an attack did to a bystander and to the processes. */
import type { Seen } from "./victim.js";

const GROWTH_LIMIT_BYTES = 150 * 1024 * 1024;
const IDLE_FACTOR = 30;
/** An attack keeps the processors busy too: that others had less than half of one makes no system slow. */
const STARVED_MS = 1_000;
const OTHERS_SHARE = 0.5;

export interface Verdict {
  /** What the system did not stand; empty when it stood. */
  readonly faults: readonly string[];
  /** Nothing is wrong but that somebody waited too long, or until nobody waited any more. */
  readonly isSlowOnly: boolean;
  /** Others than this run of tests had the processors: how long somebody waited says nothing of the system. */
  readonly isStarved: boolean;
}

/** What was seen of the victim before and during an attack, and what else went wrong, in sentences. */
export interface Evidence {
  readonly idle: Seen;
  readonly attacked: Seen;
  readonly wrong: readonly string[];
}

/** @param patienceMs how slow the slowest answer to the victim may be, where 30 of its idle medians are less */
export function verdictOn({ idle, attacked, wrong }: Evidence, patienceMs: number): Verdict {
  const isWaiting = waitingIn(attacked);
  const faults = [...wrong.filter((failure) => !isWaiting(failure)), ...faultsOf(attacked)];
  const slow = [...wrong.filter(isWaiting), ...slowness(attacked, Math.max(patienceMs, IDLE_FACTOR * idle.medianMs))];
  return {
    faults: [...faults, ...slow],
    isSlowOnly: faults.length === 0 && slow.length > 0,
    isStarved: starvedMostIn(attacked).ms > STARVED_MS && attacked.othersShare > OTHERS_SHARE,
  };
}

/** MongoDB's memory is its cache, whose size is a setting. */
const HAS_OWN_BOUND = "mongod";

function faultsOf(seen: Seen): string[] {
  const { failures, grownBytes, answers } = seen;
  const grown = Object.entries(grownBytes).filter(([name, by]) => name !== HAS_OWN_BOUND && by > GROWTH_LIMIT_BYTES);
  const isWaiting = waitingIn(seen);
  const wrong = failures.filter((failure) => !isWaiting(failure));
  return [
    ...(wrong.length > 0 ? [failed(wrong, failures.length + answers)] : []),
    ...grown.map(([name, by]) => `${name} took ${(by / 2 ** 20).toFixed(0)} MiB more memory`),
  ];
}

const failed = (failures: readonly string[], all: number): string =>
  `${failures.length} of ${all} requests of the victim failed, first ${failures[0] ?? ""}`;

/**
 * Which failures say that the gateway or a client gave up waiting. Where a process had no processor for long, the gateway may also
 * have taken it for one that is away.
 */
function waitingIn(seen: Seen): (failure: string) => boolean {
  const sign = starvedMostIn(seen).ms > STARVED_MS ? /\b50[34]\b|no answer within / : /: 504$|: no answer within /;
  return (failure) => sign.test(failure);
}

function slowness(seen: Seen, limitMs: number): string[] {
  const { answers, failures, slowestMs, othersShare } = seen;
  const waited = failures.filter(waitingIn(seen));
  const slow = slowestMs > limitMs ? [`the victim waited ${slowestMs.toFixed(0)} ms, more than ${limitMs.toFixed(0)}`] : []; // prettier-ignore
  const silent = answers === 0 ? ["the victim got no answer"] : [];
  const faults = [...(waited.length > 0 ? [failed(waited, failures.length + answers)] : []), ...silent, ...slow];
  const { name, ms } = starvedMostIn(seen);
  const starved = `${name} had no processor for ${ms.toFixed(0)} ms, others had ${othersShare.toFixed(1)}`;
  return faults.map((fault) => `${fault}; ${starved}`);
}

/** The process that had to wait longest for a processor. */
function starvedMostIn({ starvedMs }: Seen): { readonly name: string; readonly ms: number } {
  const [name, ms] = Object.entries(starvedMs).sort(([, a], [, b]) => b - a)[0] ?? ["nobody", 0];
  return { name, ms };
}
