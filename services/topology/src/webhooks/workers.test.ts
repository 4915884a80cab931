import { afterEach, describe, expect, it } from "@jest/globals";
import { setImmediate as turn } from "node:timers/promises";
import { createLog } from "@nts/shared/log";
import type { DueWebhook } from "../storage/webhook-states.js";
import { startWorkers, type Workers, WORKERS_OF_ADDRESS, WORKERS_OF_ORGANIZATION, WORKERS_OF_SITE } from "./workers.js";

let workers: Workers | null = null;
let release = (): void => undefined;

afterEach(async () => {
  release();
  await workers?.stop();
});

/** Which of the due webhooks are delivered at the same time, when no delivery ends. */
async function servedAtOnce(due: readonly DueWebhook[]): Promise<string[]> {
  const taken: string[] = [];
  const hanging = new Promise<null>((resolve) => {
    release = () => {
      resolve(null);
    };
  });
  let isTaken = false;
  const states = {
    due: () => {
      const found = isTaken ? [] : due;
      isTaken = true;
      return Promise.resolve(found);
    },
    take: ({ _id }: DueWebhook) => {
      taken.push(_id);
      return hanging;
    },
  };
  workers = startWorkers({ states, log: createLog("topology", "silent") } as never);
  for (let n = 0; n < 20; n++) await turn();
  return taken;
}

/** As many webhooks of an organization as are delivered at once. */
const webhooksOf = (organization_id: string, maker_address?: string): DueWebhook[] =>
  Array.from({ length: WORKERS_OF_ORGANIZATION }, (_, n) => ({
    ...{ _id: `${organization_id}-${n}`, organization_id },
    ...(maker_address !== undefined && { maker_address }),
  }));
/** Of accounts that together exceed a limit. */
const webhooksOfMany = (limit: number, addressOf: (n: number) => string): DueWebhook[] =>
  Array.from({ length: limit / WORKERS_OF_ORGANIZATION + 1 }, (_, n) => webhooksOf(`many-${n}`, addressOf(n))).flat();
const ofMany = (served: readonly string[]): number => served.filter((id) => id.startsWith("many")).length;

describe("webhooks.workers: deliveries that never end", () => {
  it("of an organization take its workers only", async () => {
    const served = await servedAtOnce([
      ...webhooksOf("many"),
      ...webhooksOf("many").map(({ _id, ...of }) => ({ ...of, _id: `${_id}-more` })),
      ...webhooksOf("other"),
    ]);
    expect([ofMany(served), served.length]).toEqual([WORKERS_OF_ORGANIZATION, 2 * WORKERS_OF_ORGANIZATION]);
  });

  it("of many accounts at one address leave workers to others", async () => {
    const many = webhooksOfMany(WORKERS_OF_ADDRESS, () => "192.0.2.1");
    const served = await servedAtOnce([...many, ...webhooksOf("other", "192.0.2.2"), ...webhooksOf("earlier")]);
    expect([ofMany(served), served.length]).toEqual([
      WORKERS_OF_ADDRESS,
      WORKERS_OF_ADDRESS + 2 * WORKERS_OF_ORGANIZATION,
    ]);
  });

  it("of many accounts at the addresses of one site leave workers to others", async () => {
    const many = webhooksOfMany(WORKERS_OF_SITE, (n) => `2001:db8:7:${n}::1`);
    const served = await servedAtOnce([...many, ...webhooksOf("other", "2001:db8:8::1")]);
    expect([ofMany(served), served.length]).toEqual([WORKERS_OF_SITE, WORKERS_OF_SITE + WORKERS_OF_ORGANIZATION]);
  });
});
