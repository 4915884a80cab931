/** Restarts of replicas under load. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Exit } from "@nts/local/processes/child";
import type { Build } from "./build-of-ref.js";
import type { StackProcess, Stack } from "./stack.js";
import { UNLIMITED } from "./unlimited.js";

/** Settings with which a process can stop without losing requests. */
export const GRACEFUL_SHUTDOWN = {
  // Longer than callers need to notice: a gateway probes its services once a second, load balancers should probe
  // gateways more often.
  DRAIN_DELAY_MS: "2000",
  ...UNLIMITED,
};

/** Time between a process being ready and the stop of the next one, in which its callers find it. */
const SETTLE_MS = 2_000;

/** Every process of a stack, in rollout order. */
export function inRolloutOrder({ topologies, identities, gateways }: Stack): readonly StackProcess[] {
  return [...topologies, ...identities, ...gateways];
}

/**
 * Stops and starts processes, one at a time. @param build of the new processes; the same by default @returns how each
 * ended
 */
export async function restartOneByOne(processes: readonly StackProcess[], build?: Build): Promise<Exit[]> {
  return restartInTurns(
    processes.map((process) => [process]),
    build,
  );
}

/** The same with one process of each kind at a time, as in a combined rollout. */
export async function restartOneOfEachKind({ topologies, identities, gateways }: Stack): Promise<Exit[]> {
  return restartInTurns(topologies.map((topology, replica) => [topology, identities[replica]!, gateways[replica]!]));
}

async function restartInTurns(turns: readonly (readonly StackProcess[])[], build?: Build): Promise<Exit[]> {
  const exits: Exit[] = [];
  for (const turn of turns) {
    const ended = turn.map(async (process) => {
      const exit = await process.stop();
      await (build === undefined ? process.restart() : process.restartAs(build));
      return exit;
    });
    exits.push(...(await Promise.all(ended)));
    await sleep(SETTLE_MS);
  }
  return exits;
}
