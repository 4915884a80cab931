/** Judges the effect of an attack on a victim and on the processes. */
import type { Measurements, Timings } from "./victim.js";

const GROWTH_LIMIT_BYTES = 150 * 1024 * 1024;
const IDLE_FACTOR = 30;
/** MongoDB's memory is its cache, whose size is a setting. */
const BOUNDED_BY_SETTING = "mongod";

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

/** Violations, as sentences; empty when the system withstood the attack. */
export function faultsIn({ idle, attacked, wrong }: Evidence, { readMs, workMs }: Limits): readonly string[] {
  return [
    ...wrong,
    ...faultsOf(attacked, attacked, Math.max(readMs, IDLE_FACTOR * idle.medianMs)),
    ...Object.entries(attacked.work).flatMap(([name, timings]) =>
      faultsOf(attacked, timings, workMs).map((fault) => `${name}: ${fault}`),
    ),
    ...growthIn(attacked),
  ];
}

/** What failed or was slow of some requests. */
function faultsOf(seen: Measurements, { responses, failures, slowestMs }: Timings, limitMs: number): string[] {
  const [first] = failures;
  const all = failures.length + responses;
  if (all === 0) return ["the victim got no response"];
  return [
    ...(first === undefined ? [] : [`${failures.length} of ${all} requests of the victim failed, first ${first}`]),
    ...(slowestMs > limitMs
      ? [`the victim waited ${slowestMs.toFixed(0)} ms, more than ${limitMs.toFixed(0)}; ${starvationIn(seen)}`]
      : []),
  ];
}

/** The process that waited longest for a processor, and what programs beside the system used: why a response may be slow. */
function starvationIn({ starvedMs, othersShare }: Measurements): string {
  const [name, ms] = Object.entries(starvedMs).sort(([, a], [, b]) => b - a)[0] ?? ["nobody", 0];
  return `${name} had no processor for ${ms.toFixed(0)} ms, others had ${othersShare.toFixed(1)}`;
}

function growthIn({ grownBytes }: Measurements): string[] {
  return Object.entries(grownBytes)
    .filter(([name, by]) => name !== BOUNDED_BY_SETTING && by > GROWTH_LIMIT_BYTES)
    .map(([name, by]) => `${name} took ${(by / 2 ** 20).toFixed(0)} MiB more memory`);
}
