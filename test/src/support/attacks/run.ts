/** Runs attacks, and judges what they did to a bystander and to the processes. */
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { UNLIMITED } from "../unlimited.js";
import type { Stack, StackOptions } from "../stack.js";
import type { Attack } from "./attack.js";
import { targetOf } from "./target.js";
import { type Seen, startVictim } from "./victim.js";

const GROWTH_LIMIT_BYTES = 150 * 1024 * 1024;
const IDLE_FACTOR = 30;
const FOLDER = new URL("../../attacks/", import.meta.url);

/** An attack with the name of its file. */
export interface NamedAttack extends Attack<unknown> {
  readonly id: string;
}

/** What an attack did. */
export interface Outcome {
  /** What the attacker got. */
  readonly got: string;
  /** How the victim fared before, and during the attack and shortly after. */
  readonly idle: Seen;
  readonly attacked: Seen;
  /** What the system did not stand; empty when it stood. */
  readonly faults: readonly string[];
  /** Nothing is wrong but that the victim waited too long, or until nobody waited any more. */
  readonly isSlowOnly: boolean;
}

/** All attacks, in the order of their names. */
export async function loadAttacks(): Promise<NamedAttack[]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".js"));
  const loaded: NamedAttack[] = [];
  // One after another: jest cannot link modules that share imports at the same time.
  for (const file of files.sort()) {
    const { attack } = (await import(new URL(file, FOLDER).href)) as { attack: Attack<unknown> };
    loaded.push({ ...attack, id: file.replace(/\.js$/, "") });
  }
  return loaded;
}

/** The system that an attack is made on: nobody meets the rate limit, unless the attack says so. */
export function optionsOf({ settings = {}, topologies = 1 }: Pick<Attack, "settings" | "topologies">): StackOptions {
  const merged: Readonly<Record<string, string | undefined>> = { ...UNLIMITED, LOG_LEVEL: "warn", ...settings };
  const given = Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { topologies, env: Object.fromEntries(given) };
}

/** How an attack is watched and judged. */
export interface Watching {
  /** How slow the slowest answer to the victim may be, where 30 of its idle medians are less. */
  readonly patienceMs: number;
  /** How long the victim reads before the attack, and how long after it. */
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Makes an attack while a victim reads. @throws Error when the attack could not be prepared */
export async function runAttack(attack: NamedAttack, stack: Stack, watching: Watching): Promise<Outcome> {
  const target = targetOf(stack);
  const handles = [...stack.gateways, ...stack.identities, ...stack.topologies, ...serversOf(stack)];
  const processes = handles.map((handle) => ({ name: handle.name, pid: handle.pid(), handle }));
  const { key, address } = await target.newTenant();
  const prepared = await attack.prepare?.(target).catch((error: unknown) => {
    throw new Error(`${attack.id} could not be prepared`, { cause: error });
  });
  const victim = await startVictim({
    url: stack.url,
    key,
    address,
    processes: processes.map(({ name, pid }) => ({ name, pid })),
  });
  try {
    await sleep(watching.beforeMs);
    const idle = await victim.report();
    const attempt = await attack.run(target, prepared).then(
      (got) => ({ got, faults: [] }),
      (error: unknown) => ({ got: "", faults: [error instanceof Error ? error.message : String(error)] }),
    );
    await sleep(watching.afterMs);
    const attacked = await victim.report();
    const ended = processes.filter(({ handle, pid }) => !handle.isRunning() || handle.pid() !== pid);
    const faults = [...attempt.faults, ...ended.map(({ name }) => `${name} ended`), ...faultsOf(attacked)];
    const slow = slowness(attacked, Math.max(watching.patienceMs, IDLE_FACTOR * idle.medianMs));
    return {
      ...{ got: attempt.got, idle, attacked },
      faults: [...faults, ...slow],
      isSlowOnly: faults.length === 0 && slow.length > 0,
    };
  } finally {
    await victim.stop();
  }
}

/** MongoDB's memory is its cache, whose size is a setting. */
const HAS_OWN_BOUND = "mongod";

function faultsOf({ failures, grownBytes, answers }: Seen): string[] {
  const grown = Object.entries(grownBytes).filter(([name, by]) => name !== HAS_OWN_BOUND && by > GROWTH_LIMIT_BYTES);
  const wrong = failures.filter((one) => !isTimeOut(one));
  return [
    ...(wrong.length > 0 ? [failed(wrong, failures.length + answers)] : []),
    ...(answers === 0 ? ["the victim got no answer"] : []),
    ...grown.map(([name, by]) => `${name} took ${(by / 2 ** 20).toFixed(0)} MiB more memory`),
  ];
}

const failed = (failures: readonly string[], all: number): string =>
  `${failures.length} of ${all} requests of the victim failed, first ${failures[0] ?? ""}`;

/** Whether the gateway or the victim gave up waiting. */
function isTimeOut(failure: string): boolean {
  return /: (?:504|no answer within .*)$/.test(failure);
}

/** With the process that had to wait longest for a processor: it may be others who took them. */
function slowness({ answers, failures, slowestMs, starvedMs }: Seen, limitMs: number): string[] {
  const timeOuts = failures.filter(isTimeOut);
  const slow = slowestMs > limitMs ? [`the victim waited ${slowestMs.toFixed(0)} ms, more than ${limitMs.toFixed(0)}`] : []; // prettier-ignore
  const faults = [...(timeOuts.length > 0 ? [failed(timeOuts, failures.length + answers)] : []), ...slow];
  const [name, ms] = Object.entries(starvedMs).sort(([, a], [, b]) => b - a)[0] ?? ["nobody", 0];
  return faults.map((fault) => `${fault}; ${name} had no processor for ${ms.toFixed(0)} ms`);
}

function serversOf({ servers }: Stack): readonly Stack["servers"]["redis"][] {
  return [...(servers.mongodb === null ? [] : [servers.mongodb]), servers.redis, servers.nats];
}
