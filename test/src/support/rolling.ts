/** Restarts and kills of replicas while load runs. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Exit } from "@nts/local/processes/child";
import type { ProcessHandle, Stack } from "./stack.js";
import { UNLIMITED } from "./unlimited.js";

/** What a stack needs so that a process can leave without a request being lost. */
export const LEAVING = {
  // Longer than callers take to notice: a gateway asks its services once a second, a load balancer is to ask gateways oftener.
  DRAIN_DELAY_MS: "2000",
  ...UNLIMITED,
};

/** Every process of a stack, in the order in which a new version is rolled out. */
export function inRolloutOrder({ topologies, identities, gateways }: Stack): readonly ProcessHandle[] {
  return [...topologies, ...identities, ...gateways];
}

/**
 * Stops and starts every process, one at a time. @param settleMs time between one being ready again and the next one's stop,
 * in which its callers find it
 * @returns how each ended
 */
export async function restartOneByOne(stack: Stack, settleMs: number): Promise<Exit[]> {
  return restartInTurns(
    inRolloutOrder(stack).map((process) => [process]),
    settleMs,
  );
}

/** The same with one process of each kind at a time, as when new versions of all kinds are rolled out together. */
export async function restartOneOfEachKind(
  { topologies, identities, gateways }: Stack,
  settleMs: number,
): Promise<Exit[]> {
  return restartInTurns(
    topologies.map((topology, replica) => [topology, identities[replica]!, gateways[replica]!]),
    settleMs,
  );
}

async function restartInTurns(turns: readonly (readonly ProcessHandle[])[], settleMs: number): Promise<Exit[]> {
  const exits: Exit[] = [];
  for (const turn of turns) {
    const ended = turn.map(async (process) => {
      const exit = await process.stop();
      await process.restart();
      return exit;
    });
    exits.push(...(await Promise.all(ended)));
    await sleep(settleMs);
  }
  return exits;
}
