/**
 * Random writes through two gateways and two topologies, which are killed or frozen: followers of the changes end with
 * exactly what the lists return. FEED_LENGTH, FEED_ROUNDS and SEED set size, faults and sample.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Account, aKey, anAccount, callerOf, type Caller } from "../support/api.js";
import { openEventStream } from "../support/event-stream.js";
import { anEmptyWorld, drawHistory, step } from "../support/history.js";
import { type Replay, startReplay } from "../support/replay.js";
import { startStack, type Stack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { until } from "../support/until.js";
import { SEED } from "../support/sample-seed.js";

const LENGTH = Number(process.env["FEED_LENGTH"] ?? 250);
const ROUNDS = Number(process.env["FEED_ROUNDS"] ?? 1);
const WRITERS = 8;
/** Longer than the lease of the journal. */
const FROZEN_MS = 4_000;
const MONGOD_AWAY_MS = 1_000;
/** Every how many rounds the database is killed, too. */
const ROUNDS_OF_MONGOD = 4;
const TIMEOUT_MS = 90_000;

let stack: Stack;
let owner: Account;
let isOver = false;

beforeAll(async () => {
  stack = await startStack({ gateways: 2, topologies: 2, ownMongod: ROUNDS > 1, env: UNLIMITED });
  owner = await anAccount(stack.url);
});
afterAll(() => stack.stop());

/** The header of a key. @param networkIds that it is restricted to; absent for all networks */
async function aBearer(networkIds?: readonly string[]): Promise<{ readonly authorization: string }> {
  const limits = networkIds === undefined ? {} : { permissions: "Member", network_ids: networkIds };
  return { authorization: `Bearer ${(await aKey(stack.url, owner, limits)).secret}` };
}

/** Callers with a key, through each gateway. */
function callersWith(headers: { readonly authorization: string }): Caller[] {
  return stack.gateways.map(({ url, name }) => callerOf(url, name, headers));
}

interface Follower {
  readonly replay: Replay;
  /** Follows until the end of the test. */
  follow(): Promise<void>;
}

/** Polls both gateways in turn, and retries what gets no response. */
function pollingFollower(callers: readonly Caller[]): Follower {
  const replay = startReplay(getThrough(callers), 37);
  return {
    replay,
    follow: async () => {
      while (!isOver) {
        await replay.follow().catch(() => null);
        await sleep(Math.random() * 200);
      }
    },
  };
}

/** Reads streams of both gateways in turn, resuming where the last one was cut. */
function streamingFollower(headers: { readonly authorization: string }): Follower {
  const replay = startReplay(getThrough(callersWith(headers)));
  let last: Record<string, string> = {};
  const listen = async (gateway: number): Promise<void> => {
    const url = `${stack.gateways[gateway]!.url}/api/v1/changes/stream`;
    const stream = await openEventStream(url, { ...headers, ...last }, ({ event, id, data }) => {
      if (event === "change") replay.take([data]);
      if (id !== null) last = { "last-event-id": id };
    });
    const cut = setTimeout(() => {
      stream.close();
    }, Math.random() * 3_000);
    await stream.ended;
    clearTimeout(cut);
  };
  return {
    replay,
    follow: async () => {
      for (let turn = 0; !isOver; turn++) {
        await listen(turn % stack.gateways.length).catch(() => null);
        await sleep(20);
      }
    },
  };
}

/** Reads are repeated, as clients do: this process may be too busy with a comparison to send a request in time. */
const READ_ATTEMPTS = 3;

function getThrough(callers: readonly Caller[]): Parameters<typeof startReplay>[0] {
  let turn = 0;
  return async (path) => {
    let last = "nothing";
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const response = await callers[turn++ % callers.length]?.send("get", path);
      if (response?.status === 200) return { data: response.body.data, meta: response.body.meta };
      last = `${response?.status ?? 0} ${response?.text ?? ""}`;
    }
    throw new Error(`${path} returned ${last}`);
  };
}

async function harm(round: number): Promise<void> {
  const [one, other] = round % 2 === 0 ? stack.topologies : [...stack.topologies].reverse();
  const gateway = stack.gateways[round % stack.gateways.length];
  await one!.kill();
  await sleep(500);
  await one!.restart();
  other!.pause();
  await gateway!.kill();
  await sleep(FROZEN_MS);
  await gateway!.restart();
  other!.resume();
  if (round % ROUNDS_OF_MONGOD === 1) {
    await stack.servers.mongodb!.kill();
    await sleep(MONGOD_AWAY_MS);
    await stack.servers.mongodb!.restart();
  }
  await sleep(500);
}

describe(`${LENGTH} random writes by ${WRITERS} writers, seed ${SEED}, while processes are killed and frozen`, () => {
  it(
    "are recorded in commit order, each once, without rolled back ones: a replay equals the lists",
    async () => {
      const whole = await aBearer();
      const writers = callersWith(whole);
      const home = await writers[0]!.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
      const world = anEmptyWorld(home.id);
      world.known.networks.push({ id: home.id, network_id: home.id, body: home });
      const limited = await aBearer([home.id]);
      const followers = [whole, limited].flatMap((headers) => [
        pollingFollower(callersWith(headers)),
        streamingFollower(headers),
      ]);
      const history = drawHistory(SEED, LENGTH * 4);
      let next = 0;
      let done = 0;
      let hasFault = false;

      const write = async (own: number): Promise<void> => {
        while (!hasFault || done < LENGTH) {
          const drawn = history[next++ % history.length];
          // A killed process answers nothing; what it has committed is recorded nevertheless.
          const response = await step(world, writers[own % writers.length]!, drawn!).catch(() => sleep(50, null));
          if (response?.status === 200) done += 1;
          if (ROUNDS === 1) await sleep(20);
        }
      };
      const writing = Promise.all(Array.from({ length: WRITERS }, (_, own) => write(own)));
      const following = Promise.all(followers.map(({ follow }) => follow()));
      for (let round = 0; round < ROUNDS; round++) await harm(round);
      hasFault = true;
      await writing;

      const mark = await writers[0]!.data<{ id: string }>("post", "/api/v1/tags", { name: "the end" });
      for (const { replay } of followers) {
        await until(() => replay.has(mark.id), 50, TIMEOUT_MS);
        expect(replay.faults).toEqual([]);
        expect(await replay.differences()).toEqual([]);
      }
      isOver = true;
      await following;
      expect(done).toBeGreaterThanOrEqual(LENGTH);
    },
    120_000 + LENGTH * 60 + ROUNDS * 10_000,
  );
});
