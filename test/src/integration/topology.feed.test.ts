/**
 * Whoever follows the changes from the start holds what the lists answer, byte for byte: random writes over two replicas, while the
 * one that keeps the journal is killed, and frozen until it is not its keeper any more. FEED_LENGTH makes it longer, FEED_ROUNDS
 * harms more often, FEED_SEED repeats the drawing (not the interleaving).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { INTERNAL } from "@nts/shared/http/headers";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { callerOf, type Caller } from "../support/api.js";
import { anEmptyWorld, drawHistory, step } from "../support/history.js";
import { type Replay, type Row, startReplay } from "../support/replay.js";
import { startStack, type Stack } from "../support/stack.js";
import { until } from "../support/until.js";

const LENGTH = Number(process.env["FEED_LENGTH"] ?? 400);
const ROUNDS = Number(process.env["FEED_ROUNDS"] ?? 1);
const SEED = Number(process.env["FEED_SEED"] ?? Date.now() % 2 ** 31);
const WRITERS = 8;
/** Longer than the lease of the journal. */
const FROZEN_MS = 4_000;
const PATIENCE_MS = 30_000;

let stack: Stack;
const organizationId = newId();

beforeAll(async () => {
  stack = await startStack({ gateways: 0, identities: 0, topologies: 2, env: { SHORT_UPDATES: "on" } });
}, 60_000);
afterAll(() => stack.stop());

/** Callers with these networks, through each replica. */
function callersOf(networks: "all" | string[]): Caller[] {
  const scope = { organizationId, networks };
  const principal = { kind: "key", credentialId: newId(), userId: newId(), permission: "Owner", scope } as const;
  const headers = { [INTERNAL.tenancy]: createTenancySigner(stack.tenancySecrets.gatewayToTopology, "topology")(principal) }; // prettier-ignore
  return stack.topologies.map(({ url, name }) => bare(callerOf(url, name, headers)));
}

/** A caller of a service itself, whose answers have no envelope. */
function bare(caller: Caller): Caller {
  return {
    ...caller,
    send: async (...request) => {
      const answered = await caller.send(...request);
      if (answered.status !== 200) return answered;
      const isOpen = answered.headers.get(INTERNAL.meta) === "open";
      const whole: unknown = isOpen ? JSON.parse(`{"data":${answered.text}}}`) : { data: answered.body, meta: {} };
      return { ...answered, body: whole as typeof answered.body };
    },
  };
}

/** Follows through one replica and then another; whatever is not answered is asked for again. */
function followerOf(callers: readonly Caller[]): Replay {
  let turn = 0;
  return startReplay(async (path) => {
    const caller = callers[turn++ % callers.length];
    const answered = await caller?.send("get", path);
    if (answered?.status !== 200) throw new Error(`${path} answered ${answered?.text ?? "nothing"}`);
    return { data: answered.body.data, meta: answered.body.meta };
  }, 37);
}

async function made(caller: Caller, kind: string, name: string): Promise<Row> {
  const { status, text, body } = await caller.send("post", `/api/v1/${kind}`, { name });
  if (status !== 200) throw new Error(text);
  return body.data;
}

describe(`${LENGTH} random writes by ${WRITERS} writers, seed ${SEED}, while the keeper of the journal is killed and frozen`, () => {
  it(
    "are told in the order of their commits, each once, and none that was undone: a replay holds what the lists answer",
    async () => {
      const writers = callersOf("all");
      const world = anEmptyWorld();
      const home = await made(writers[0]!, "networks", "Home");
      world.known.networks.push({ id: home.id, network_id: home.id, body: home });
      const followers = [followerOf(callersOf("all")), followerOf(callersOf([home.id]))];
      const history = drawHistory(SEED, LENGTH * 4);
      let [next, done, isOver] = [0, 0, false];

      const write = async (own: number): Promise<void> => {
        while (!isOver || done < LENGTH) {
          const drawn = history[next++ % history.length];
          // A replica that is killed answers nothing; what it has committed is told all the same.
          const answered = await step(world, writers[own % writers.length]!, drawn!).catch(() => sleep(50, null));
          if (answered?.status === 200) done += 1;
          if (ROUNDS === 1) await sleep(20);
        }
      };
      const follow = async (follower: Replay): Promise<void> => {
        while (!isOver) {
          await follower.follow().catch(() => null);
          await sleep(Math.random() * 200);
        }
      };
      const running = Promise.all([...Array.from({ length: WRITERS }, (_, own) => write(own)), ...followers.map(follow)]); // prettier-ignore
      for (let round = 0; round < ROUNDS; round++) {
        const [one, other] = round % 2 === 0 ? stack.topologies : [...stack.topologies].reverse();
        await one!.kill();
        await sleep(500);
        await one!.restart();
        other!.pause();
        await sleep(FROZEN_MS);
        other!.resume();
        await sleep(500);
      }
      isOver = true;
      await running;

      const mark = await made(writers[0]!, "tags", "the end");
      for (const follower of followers) {
        await until(async () => (await follower.follow()).some(({ entity_id }) => entity_id === mark.id), 50, PATIENCE_MS); // prettier-ignore
        expect(follower.faults).toEqual([]);
        expect(await follower.differences()).toEqual([]);
      }
      expect(done).toBeGreaterThanOrEqual(LENGTH);
    },
    120_000 + LENGTH * 60 + ROUNDS * 10_000,
  );
});
