import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Webhook } from "@nts/shared/contract";
import { aColleague, aKey, anAccount } from "../support/api.js";
import { REVOCATIONS } from "../support/right-changes.js";
import { runPass } from "../support/revocation-pass.js";
import { startRevocableSystem, type RevocableSystem } from "../support/revocable.js";

// The short form of `npm run long -- revocation`, which makes every change with every fault.

const UNLIMITED = { RATE_LIMIT_BURST: "1000000", ANONYMOUS_RATE_LIMIT_BURST: "1000000" };

const changes = [...REVOCATIONS].flatMap(([name, prepare]) => (prepare === null ? [] : [[name, prepare] as const]));
/** Between requests of a credential while it changes: more than the long run, and a burst after each change. */
const GAP_MS = 40;
/** One of a key, one of a session, one of a user. */
const FEW: readonly string[] = ["disable", "end a session", "remove a user"];

let system: RevocableSystem;
let urls: string[];

beforeAll(async () => {
  system = await startRevocableSystem({ gateways: 2, identities: 2, env: UNLIMITED });
  urls = system.stack.gateways.map(({ url }) => url);
});

afterAll(async () => {
  await system.stop();
});

/** Every change succeeds at once, and revokes what it should. */
async function expectRevoked(
  among: typeof changes,
  faults: { fault?: () => void; recover?: () => void } = {},
): Promise<void> {
  const kinds = among.map(([, prepare]) => prepare);
  const outcomes = await runPass({
    urls,
    kinds,
    gapMs: GAP_MS,
    tools: system.tools,
    through: system.stack.url,
    ...faults,
  });
  expect(outcomes.filter(({ attempts }) => attempts > 1)).toEqual([]);
  expect(outcomes.filter(({ after, unanswered }) => after - unanswered < 8)).toEqual([]);
  expect(outcomes.filter(({ accepted }) => accepted > 0)).toEqual([]);
}

describe("a revocation is effective on every gateway when its response arrives", () => {
  it("while all components are available", async () => {
    await expectRevoked(changes);
  });

  it("while the bus hangs, and leases end instead", async () => {
    const { nats } = system.stack.servers;
    const few = changes.filter(([name]) => FEW.includes(name));
    expect(few).toHaveLength(FEW.length);
    await expectRevoked(few, { fault: nats.pause, recover: nats.resume });
  });

  it("also for the webhooks of removed users and revoked keys, while the bus hangs", async () => {
    const { url, servers } = system.stack;
    const owner = await anAccount(url);
    const path = "/api/v1/webhooks";
    const reasonAfter = async (by: "user" | "key"): Promise<string | undefined> => {
      const colleague = await aColleague(url, owner, { permissions: "Admin" });
      const key = await aKey(url, colleague, { permissions: "Admin" });
      const { id } = await key.caller.data<{ id: string }>("post", path, { url: "https://hooks.example.com/" });
      const removed = by === "user" ? `/api/v1/users/${colleague.userId}` : `/api/v1/organizations/keys/${key.id}`;
      await owner.session.data("delete", removed);
      return (await owner.session.data<Webhook>("get", `${path}/${id}`)).paused?.reason;
    };
    servers.nats.pause();
    try {
      expect(await reasonAfter("user")).toBe("The user who created it was removed.");
      expect(await reasonAfter("key")).toBe("The API key with which it was created was revoked.");
    } finally {
      servers.nats.resume();
    }
  });
});
