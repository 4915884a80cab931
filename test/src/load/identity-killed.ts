/**
 * Kills the replica of identity between the commit of a change and its notice, and retries the change through a
 * gateway. The commit is visible in the database some milliseconds before the response.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient, ReadConcern } from "mongodb";
import { createBus } from "@nts/shared/bus/bus";
import { keyChanged } from "@nts/shared/contract/messages";
import { requestTarget } from "@nts/client/request-target";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { createLog } from "@nts/shared/log";
import { createDirect, sessionOf } from "../support/direct.js";
import { retryUntilMade, hammerOf, type Outcome, outcomeOf, untilAccepted } from "../support/revocation-pass.js";
import { bodyOf, type Prepare, type Revocation, send } from "../support/right-changes.js";
import type { RevocableSystem } from "../support/revocable.js";
import { until } from "../support/until.js";

export interface Killing {
  killAndAskAgain(prepare: Prepare): Promise<Outcome>;
  /** The number of changes committed without a notice. */
  committedWithoutNotice(): number;
  close(): Promise<void>;
}

const AFTER_MS = 300;
const CONNECTIONS = 2;
const HOT_GAP_MS = 5;

export async function createKilling({ stack, tools }: Pick<RevocableSystem, "stack" | "tools">): Promise<Killing> {
  const identity = stack.identities[0]!;
  const urls = stack.gateways.map(({ url }) => url);
  const direct = createDirect(stack);
  const sign = createTenancySigner(stack.tenancySecrets.gatewayToIdentity, "identity");
  const mongo = new MongoClient(stack.servers.urls.mongodb);
  const database = mongo.db(stack.databases.identity, { readConcern: new ReadConcern("local") });
  const changes = database.collection<{ _id: number }>("key_changes");
  const bus = createBus(stack.servers.urls.nats.gateway, "test", createLog("test", "silent"));
  const published = new Set<number>();
  bus.subscribe(keyChanged, ({ number }) => published.add(number));
  await until(() => bus.isConnected());
  let committedWithoutNotice = 0;

  /** The change as a gateway would forward it, to the replica that will be killed; null without a response. */
  async function askAndKill({ kind, change }: Revocation, before: number): Promise<number | null> {
    const { operation, params, by } = change;
    const { text, type } = bodyOf(change);
    const verified = await direct.verify("session", by.cookie.split("=")[1] ?? "", 1);
    if (verified.status !== "valid") throw new Error(`the author is refused: ${verified.code}`);
    const path = requestTarget(operation.path, { params });
    const response = statusOf(identity.url + path, {
      method: operation.method.toUpperCase(),
      headers: { "x-tenancy": sign(sessionOf(verified.principal)), ...type },
      body: text,
    });
    let early: number | null = null;
    void response.then((status) => (early = status));
    await until(async () => {
      const isMade = (await newest()) > before;
      if (!isMade && early !== null) throw new Error(`"${kind}" got ${early}, and changed nothing`);
      return isMade;
    }, 0);
    await identity.kill();
    return response;
  }

  const newest = async (): Promise<number> => (await changes.findOne({}, { sort: { _id: -1 } }))?._id ?? 0;

  return {
    killAndAskAgain: async (prepare) => {
      const revocation = await prepare(stack.url, tools);
      const hammer = hammerOf(revocation, urls, CONNECTIONS);
      await untilAccepted([{ hammer }], urls);
      hammer.pace(HOT_GAP_MS);
      const before = await newest();
      let isKilled = false;
      const response = await retryUntilMade(() => {
        if (isKilled) return send(stack.url, revocation);
        isKilled = true;
        return askAndKill(revocation, before);
      });
      hammer.burst(CONNECTIONS);
      await sleep(AFTER_MS);
      if (!published.has(before + 1)) committedWithoutNotice += 1;
      const shots = await hammer.stop();
      await identity.restart();
      return { kind: revocation.kind, ...outcomeOf(response, shots) };
    },
    committedWithoutNotice: () => committedWithoutNotice,
    close: async () => {
      await bus.close();
      await mongo.close();
    },
  };
}

/** Null without a response. */
function statusOf(url: string, init: RequestInit): Promise<number | null> {
  return fetch(url, init).then(
    ({ status }) => status,
    () => null,
  );
}
