/** Runs attacks while a victim reads and works. */
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { UNLIMITED } from "../unlimited.js";
import type { Stack, StackOptions } from "../stack.js";
import type { Attack, Tenant } from "./attack.js";
import { targetOf } from "./target.js";
import { faultsIn, type Limits } from "./verdict.js";
import { type Measurements, startVictim } from "./victim.js";
import type { Credentials } from "./victim-work.js";

const FOLDER = new URL("../../attacks/", import.meta.url);

/** An attack with the name of its file. */
export interface NamedAttack extends Attack<unknown> {
  readonly id: string;
}

/** The result of an attack. */
export interface Outcome {
  /** Violations; empty when the system withstood the attack. */
  readonly faults: readonly string[];
  /** What the attack reported. */
  readonly got: string;
  /** The victim's measurements before, and during the attack and shortly after. */
  readonly idle: Measurements;
  readonly attacked: Measurements;
}

/** All attacks, in the order of their names. */
export async function loadAttacks(): Promise<NamedAttack[]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".js"));
  const loaded: NamedAttack[] = [];
  for (const file of files.sort()) {
    const { attack } = (await import(new URL(file, FOLDER).href)) as { attack: Attack<unknown> };
    loaded.push({ ...attack, id: file.replace(/\.js$/, "") });
  }
  return loaded;
}

/** Its webhooks are received on this machine. */
const FOR_VICTIMS = { LOG_LEVEL: "warn", WEBHOOK_ALLOW: "127.0.0.0/8" };

/** The options of the attacked system: without rate limits, unless the attack sets them. */
export function optionsOf({ settings = {}, topologies = 1 }: Pick<Attack, "settings" | "topologies">): StackOptions {
  const merged: Readonly<Record<string, string | undefined>> = { ...UNLIMITED, ...FOR_VICTIMS, ...settings };
  const given = Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { topologies, costlyPasswords: true, env: Object.fromEntries(given) };
}

/** How an attack is measured and judged. */
export interface WatchOptions {
  readonly limits: Limits;
  /** How long the victim warms the system up, is measured before the attack, and is measured after it. */
  readonly warmUpMs: number;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Runs an attack while a victim reads and works. @throws Error when the attack could not be prepared */
export async function runAttack(attack: NamedAttack, stack: Stack, watching: WatchOptions): Promise<Outcome> {
  const target = targetOf(stack);
  const handles = [...stack.gateways, ...stack.identities, ...stack.topologies, ...serversOf(stack)];
  const processes = handles.map((handle) => ({ name: handle.name, pid: handle.pid(), handle }));
  const tenant = await target.newTenant();
  const prepared = await attack.prepare?.(target).catch((error: unknown) => {
    throw new Error(`${attack.id} could not be prepared`, { cause: error });
  });
  const victim = await startVictim({
    url: stack.url,
    key: tenant.key,
    address: tenant.address,
    account: accountOf(tenant),
    processes: processes.map(({ name, pid }) => ({ name, pid })),
  });
  try {
    await sleep(watching.warmUpMs);
    await victim.report();
    await sleep(watching.beforeMs);
    const idle = await victim.report();
    const attempt = await attack.run(target, prepared).then(
      (got) => ({ got, failures: [] }),
      (error: unknown) => ({ got: "", failures: [error instanceof Error ? error.message : String(error)] }),
    );
    await sleep(watching.afterMs);
    const attacked = await victim.report();
    const ended = processes.filter(({ handle, pid }) => !handle.isRunning() || handle.pid() !== pid);
    const wrong = [...attempt.failures, ...ended.map(({ name }) => `${name} ended`)];
    return { got: attempt.got, idle, attacked, faults: faultsIn({ idle, attacked, wrong }, watching.limits) };
  } finally {
    await victim.stop();
  }
}

function serversOf({ servers }: Stack): readonly Stack["servers"]["redis"][] {
  return [...(servers.mongodb === null ? [] : [servers.mongodb]), servers.redis, servers.nats];
}

function accountOf({ organizationId, userId, email, password, cookie }: Tenant): Credentials {
  return { organizationId, userId, email, password, cookie };
}
