/** Accounts, keys, sessions and hosts that are created and deleted during other load, to reveal leaks per entity. */
import { setTimeout as sleep } from "node:timers/promises";
import { aKey, anAccount, callerOf, cookieOf } from "../support/api.js";

export interface Churn {
  rounds(): number;
  /** Unexpected results, as sentences. */
  failures(): readonly string[];
  stop(): Promise<void>;
}

const PAUSE_MS = 200;

/** Begins, one round after another. */
export function startChurn(url: string): Churn {
  const failures: string[] = [];
  let rounds = 0;
  let stopping = false;
  const running = run();

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        await round(url);
        rounds += 1;
      } catch (error) {
        failures.push(String(error));
      }
      await sleep(PAUSE_MS);
    }
  }

  return {
    rounds: () => rounds,
    failures: () => failures,
    stop: async () => {
      stopping = true;
      await running;
    },
  };
}

async function round(url: string): Promise<void> {
  const account = await anAccount(url);
  const { email, password, session } = account;
  const key = await aKey(url, account);
  const network = await key.caller.data<{ id: string }>("post", "/api/v1/networks", { name: "Short-lived" });
  await key.caller.data("post", "/api/v1/hosts", { network_id: network.id, name: "here today" });
  const secret = await session.data<string>("post", `/api/v1/auth/keys/${key.id}/rotate`);
  const rotated = callerOf(url, "rotated key", { authorization: `Bearer ${secret}` });
  await rotated.data("delete", `/api/v1/networks/${network.id}`);
  await expectStatus(key.caller.send("get", "/api/v1/networks"), 401);
  await session.data("delete", `/api/v1/auth/keys/${key.id}`);
  const login = await callerOf(url, "nobody").send("post", "/api/auth/login", { email, password });
  const again = callerOf(url, "second session", { cookie: cookieOf(login.headers) });
  await again.data("get", "/api/auth/me");
  await again.data("post", "/api/auth/logout");
  await expectStatus(again.send("get", "/api/auth/me"), 401);
}

async function expectStatus(response: Promise<{ status: number; text: string }>, expected: number): Promise<void> {
  const { status, text } = await response;
  if (status !== expected) throw new Error(`expected ${expected}, got ${status}: ${text}`);
}
