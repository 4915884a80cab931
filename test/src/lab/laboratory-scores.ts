/** What inventories have of laboratories, compared with what is there. */
import { availableParallelism, loadavg } from "node:os";
import { putUnder } from "@nts/shared/groups";
import type { LabHost } from "./laboratory-hosts.js";

/** Until the first complete map, and until a machine that comes is on it. */
export const MAX_SECONDS = 60;
export const RATE = 500;
/** In the busiest second: answers to the machines that are looked at are sent at once. */
const MOST_OF_RATE = 1.2;

export interface StoredHost {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly missed_since: string | null;
  readonly seen: { readonly first_at: string; readonly last_at: string } | null;
  readonly interfaces: readonly { readonly ip_address: string }[];
  readonly ports: readonly { readonly number: number; readonly missed_since: string | null }[];
}

/** What an inventory has of a laboratory. */
export interface Comparison {
  readonly machines: number;
  readonly found: number;
  readonly duplicates: readonly string[];
  readonly falseJoins: readonly string[];
  readonly wrongPorts: readonly string[];
  readonly wrongNames: readonly string[];
}

/** Of one laboratory. */
export interface Score extends Comparison {
  readonly seed: number;
  /** From the start of the agent to the first complete map. */
  readonly seconds: number;
  /** From then on until a machine that came was on it. */
  readonly cameSeconds: number;
  /** In the busiest second. */
  readonly packetsPerSecond: number;
  readonly kilobytes: number;
  /** Bytes of reports, to the server. */
  readonly reported: number;
  /** What is wrong besides. */
  readonly faults: readonly string[];
}

/** What is there, and what the inventory has of it. */
export function compared(there: readonly LabHost[], stored: readonly StoredHost[]): Comparison {
  const machines = new Map<string, LabHost[]>();
  for (const host of there) putUnder(machines, host.machine, host);
  const machineAt = new Map(there.map(({ ip, machine }) => [ip, machine]));
  const falseJoins = stored.flatMap(({ name, interfaces }) => {
    const joined = new Set(interfaces.flatMap(({ ip_address: ip }) => machineAt.get(ip) ?? []));
    return joined.size > 1 ? [`${name} is ${[...joined].join(" and ")}`] : [];
  });
  const duplicates: string[] = [];
  const wrongPorts: string[] = [];
  const wrongNames: string[] = [];
  let found = 0;
  for (const [machine, own] of machines) {
    const seen = stored.filter(({ interfaces }) =>
      own.some(({ ip }) => interfaces.some((one) => one.ip_address === ip)),
    );
    if (seen.length > 0) found++;
    if (seen.length > 1) duplicates.push(`${machine} is ${seen.map(({ name }) => name).join(" and ")}`);
    const announced = own.flatMap(({ mdnsName }) => mdnsName ?? []);
    for (const name of announced)
      if (seen.every((one) => one.name !== name))
        wrongNames.push(`${machine} says that it is ${name}, and is ${seen.map((one) => one.name).join(" and ")}`);
    const open = own.flatMap(({ ports }) => ports.map(({ number }) => number)).sort((a, b) => a - b);
    const known = seen.flatMap(({ ports }) => ports.map(({ number }) => number)).sort((a, b) => a - b);
    if (open.join() !== known.filter((port) => port !== 80 || open.includes(80)).join())
      wrongPorts.push(`${machine}: ${known.join()} instead of ${open.join()}`);
  }
  return { machines: machines.size, found, duplicates, falseJoins, wrongPorts, wrongNames };
}

/** Of a laboratory that could not be tried. */
export function failedScore(seed: number, fault: string): Score {
  return {
    ...{ seed, machines: 0, found: 0, duplicates: [], falseJoins: [], wrongPorts: [], wrongNames: [], faults: [fault] },
    ...{ seconds: 0, cameSeconds: 0, packetsPerSecond: 0, kilobytes: 0, reported: 0 },
  };
}

/** Whether the inventory has what is there. */
export function isRight(score: Score): boolean {
  const { machines, found, packetsPerSecond } = score;
  const wrong = wrongIn(score).length;
  return found === machines && wrong === 0 && packetsPerSecond <= MOST_OF_RATE * RATE;
}

function wrongIn({ duplicates, falseJoins, wrongPorts, wrongNames, faults }: Score): string[] {
  return [...duplicates, ...falseJoins, ...wrongPorts, ...wrongNames, ...faults];
}

/** Whether it had that soon enough, which depends on what else runs here. */
export function isInTime({ seconds, cameSeconds }: Score): boolean {
  return Math.max(seconds, cameSeconds) <= MAX_SECONDS;
}

export function lineOf(score: Score): string {
  const { seed, machines, found, duplicates, falseJoins, seconds, cameSeconds } = score;
  const { packetsPerSecond, kilobytes, reported } = score;
  const said = wrongIn(score);
  return (
    `${isRight(score) ? "✓" : "✕"} ${seed}${isInTime(score) ? "" : " (late)"}: ${found} of ${machines}, ${duplicates.length} duplicates, ${falseJoins.length} false joins, ` +
    `${seconds.toFixed(1)} s, a new one after ${cameSeconds.toFixed(1)} s, ${packetsPerSecond.toFixed(0)} packets/s, ` +
    `${kilobytes.toFixed(0)} kB sent, ${reported} bytes reported, load ${loadNow()}` +
    (said.length === 0 ? "" : `; ${said.join("; ")}`)
  );
}

/** Programs that want a processor, for each that there is: times are longer by that. */
function loadNow(): string {
  return ((loadavg()[0] ?? 0) / availableParallelism()).toFixed(1);
}

/** All laboratories until now. */
export function totalsOf(scores: readonly Score[]): string {
  const sum = (of: (score: Score) => number): number => scores.reduce((all, one) => all + of(one), 0);
  const tried = scores.filter(({ machines }) => machines > 0);
  const spread = (of: (score: Score) => number): string => {
    const sorted = tried.map(of).sort((a, b) => a - b);
    const at = (part: number): string => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1);
    return `${at(0.5)} s, at most ${at(1)} s`;
  };
  const mean = tried.length === 0 ? 0 : sum(({ packetsPerSecond }) => packetsPerSecond) / tried.length;
  return (
    `${scores.filter(isRight).length} of ${scores.length} laboratories right, ${scores.filter(isInTime).length} in time: ` +
    `found ${sum(({ found }) => found)} of ${sum(({ machines }) => machines)} machines, ` +
    `${sum(({ duplicates }) => duplicates.length)} duplicates, ${sum(({ falseJoins }) => falseJoins.length)} false joins, ` +
    `${sum(({ wrongPorts }) => wrongPorts.length)} wrong ports, ${sum(({ wrongNames }) => wrongNames.length)} wrong names, ` +
    `${sum(({ faults }) => faults.length)} other faults; ` +
    `complete map after ${spread(({ seconds }) => seconds)}, a new machine after ${spread(({ cameSeconds }) => cameSeconds)}; ` +
    `${mean.toFixed(0)} packets/s, ${(sum(({ kilobytes }) => kilobytes) / 1_000).toFixed(1)} MB sent`
  );
}
