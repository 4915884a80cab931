/**
 * Every change reaches a receiver, in order and verified, although it is down at times, and topologies are killed and
 * frozen. WEBHOOK_CHANGES makes it longer, WEBHOOK_ROUNDS adds faults.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import type { Change, Webhook, WebhookDelivery, WebhookProgress } from "@nts/shared/contract";
import { INTERNAL } from "@nts/shared/http/headers";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { callerOf } from "../support/api.js";
import { startStack, type Stack } from "../support/stack.js";
import { until } from "../support/until.js";
import { type Receiver, type StandardMessage, startReceiver, verified } from "../support/webhook-receiver.js";

const CHANGES = Number(process.env["WEBHOOK_CHANGES"] ?? 60);
const ROUNDS = Number(process.env["WEBHOOK_ROUNDS"] ?? 1);
const WRITERS = 4;
/** Longer than a lease. */
const FROZEN_MS = 7_000;
const TIMEOUT_MS = 90_000 + CHANGES * 30;

let stack: Stack;
let receiver: Receiver;
let mongo: MongoClient;

beforeAll(async () => {
  [stack, receiver] = await Promise.all([
    startStack({ gateways: 0, identities: 0, topologies: 2, env: { WEBHOOK_ALLOW: "127.0.0.0/8" } }),
    startReceiver(),
  ]);
  mongo = new MongoClient(stack.servers.urls.mongodb);
});
afterAll(async () => {
  await mongo.close();
  await Promise.all([stack.stop(), receiver.stop()]);
});

type Made = Webhook & { readonly secret: string };

/** An Admin of an organization of its own, who tries the topologies in turn until one answers. */
function anAdmin() {
  const scope = { organizationId: newId(), networks: "all" } as const;
  const principal = { kind: "key", credentialId: newId(), userId: newId(), permission: "Admin", scope } as const;
  const sign = createTenancySigner(stack.tenancySecrets.gatewayToTopology, "topology");
  let turn = 0;
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    for (let tries = 0; ; tries++) {
      const { url, name } = stack.topologies[turn++ % stack.topologies.length]!;
      // The header is valid for a minute.
      const caller = callerOf(url, name, { [INTERNAL.tenancy]: sign(principal) });
      const response = await caller.send(method, path, body).catch(() => null);
      const { status = 503, text = "nothing" } = response ?? {};
      if (status === 200) {
        const isOpen = response?.headers.get(INTERNAL.meta) === "open";
        return (isOpen ? (JSON.parse(`{"data":${text}}}`) as { data: unknown }).data : response?.body) as T;
      }
      // It was created by an attempt whose response was lost with the process.
      if (text.includes(`"code":"already_exists"`) && tries > 0) return undefined as T;
      // An unfinished transaction of a frozen process blocks others for a while.
      const isRetried = status >= 500 || text.includes(`"code":"write_conflict"`);
      if (!isRetried || tries > 200) throw new Error(`${method} ${path} answered ${status}: ${text}`);
      await sleep(100);
    }
  };
  let names = 0;
  return {
    call,
    aTag: (more = {}) => call<{ id: string }>("post", "/api/v1/tags", { name: `${++names} ${newId()}`, ...more }),
    aWebhook: (path: string, more = {}) => call<Made>("post", "/api/v1/webhooks", { url: receiver.url(path), ...more }),
    webhook: ({ id }: Webhook) => call<Webhook>("get", `/api/v1/webhooks/${id}`),
    deliveries: ({ id }: Webhook) => call<WebhookDelivery[]>("get", `/api/v1/webhooks/${id}/deliveries`),
    progress: async ({ id }: Webhook) =>
      (await call<WebhookProgress[]>("get", "/api/v1/webhooks/progress")).find(({ webhook_id }) => webhook_id === id),
    changes: async () => {
      const all: Change[] = [];
      for (let page = await call<Change[]>("get", "/api/v1/changes?limit=1000"); page.length > 0;) {
        all.push(...page);
        page = await call<Change[]>("get", `/api/v1/changes?limit=1000&after=${page.at(-1)!.cursor}`);
      }
      return all;
    },
  };
}

/** A value, once it is as expected. */
async function untilValue<T>(read: () => Promise<T>, isThere: (found: T) => boolean): Promise<T> {
  let found = await read();
  await until(async () => isThere(found) || isThere((found = await read())), 50, TIMEOUT_MS);
  return found;
}

const came = (path: string, count: number): Promise<void> =>
  until(() => receiver.received(path).length >= count, 20, TIMEOUT_MS);

describe(`${CHANGES} changes, while the receiver disappears and topologies are killed and frozen ${ROUNDS} times`, () => {
  it(
    "reach the receiver in the order of the journal, each at least once, and all of them verified",
    async () => {
      const admin = anAdmin();
      const { secret } = await admin.aWebhook("/all");
      receiver.verify("/all", secret);
      const isOver = { yes: false };
      let changed = 0;
      const write = async (): Promise<void> => {
        while (changed++ < CHANGES) await admin.aTag();
      };
      const writing = Promise.all(Array.from({ length: WRITERS }, write)).then(() => {
        isOver.yes = true;
      });
      for (let round = 0; round < ROUNDS; round++) {
        const [one, other] = round % 2 === 0 ? stack.topologies : [...stack.topologies].reverse();
        await came("/all", Math.min(receiver.received("/all").length + 5, isOver.yes ? 0 : Infinity));
        await receiver.stopListening();
        await one!.kill();
        await sleep(300 + Math.random() * 500);
        await Promise.all([receiver.listenAgain(), one!.restart()]);
        if (round % 3 !== 2) continue;
        other!.pause();
        await sleep(FROZEN_MS);
        other!.resume();
      }
      await writing;
      const changes = await untilValue(admin.changes, (found) => found.length >= CHANGES);
      const expected = changes.map(({ cursor }) => cursor);
      await until(() => new Set(receiver.received("/all").map(({ id }) => id)).size >= expected.length, 50, TIMEOUT_MS);
      const contents = receiver.received("/all").map(({ content }) => content);
      expect(contents).not.toContain(undefined);
      const delivered = contents as StandardMessage<Change>[];
      expect([...new Set(delivered.map(({ data }) => data.cursor))]).toEqual(expected);
      const byCursor = new Map(delivered.map(({ data }) => [data.cursor, data]));
      expect(expected.map((cursor) => byCursor.get(cursor))).toEqual(changes);
      expect(new Set(delivered.map(({ type }) => type))).toEqual(new Set(["tag.created"]));
    },
    60_000 + TIMEOUT_MS * 2 + ROUNDS * 15_000,
  );
});

describe("a webhook: its filter", () => {
  it("selects networks, kinds of entities, actions, and tags", async () => {
    const admin = anAdmin();
    const one = await admin.call<{ id: string }>("post", "/api/v1/networks", { name: "one" });
    const two = await admin.call<{ id: string }>("post", "/api/v1/networks", { name: "two" });
    const filters = {
      "/network": { network_ids: [one.id] },
      "/entity": { entities: ["Tag"], actions: ["deleted"] },
      "/tag": { tag_ids: ["shown"] },
    };
    for (const [path, filter] of Object.entries(filters)) await admin.aWebhook(path, { filter });
    const all = await admin.aWebhook("/everything");
    const tag = await admin.aTag();
    for (const [network, tags] of [
      [one, []],
      [two, ["shown"]],
    ] as const)
      await admin.call("post", "/api/v1/hosts", { network_id: network.id, name: `host of ${network.id}`, tags });
    await admin.call("delete", `/api/v1/tags/${tag.id}`);
    const end = await admin.aTag({ name: "end" });
    await until(() => receiver.received("/everything").some(({ body }) => body.includes(end.id)), 20, TIMEOUT_MS);
    await Promise.all(Object.keys(filters).map((path) => came(path, 1)));
    const delivered = (path: string): [string, string][] =>
      receiver.received(path).map(({ body }) => {
        const { data } = JSON.parse(body) as { data: Change };
        return [`${data.entity} ${data.action}`, data.name];
      });
    expect(delivered("/network").filter(([what]) => what.startsWith("Host"))).toEqual([
      ["Host created", `host of ${one.id}`],
    ]);
    expect(delivered("/network").some(([what]) => what.startsWith("Tag"))).toBe(false);
    expect(delivered("/entity")).toEqual([["Tag deleted", expect.any(String)]]);
    expect(delivered("/tag")).toEqual([["Host created", `host of ${two.id}`]]);
    await admin.call("delete", `/api/v1/webhooks/${all.id}`);
    await admin.aTag();
    await sleep(100); // for an unwanted message to arrive
    expect(receiver.received("/everything").at(-1)?.body).toContain(end.id);
  });
});

describe("a webhook: batching", () => {
  it("collects changes for the configured time, and sends chat messages in the format of the service", async () => {
    const admin = anAdmin();
    const { id: network_id } = await admin.call<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
    const batched = await admin.aWebhook("/batch", { batch_seconds: 1 });
    for (const format of ["slack", "discord", "ntfy"]) await admin.aWebhook(`/${format}`, { format, batch_seconds: 1 });
    const name = "<!channel> *a* & @everyone";
    const ports = [1, 2, 3, 4].map((number) => ({ number, protocol: "Tcp" }));
    await admin.call("post", "/api/v1/hosts", { network_id, name, ports });
    const isWhole = (path: string) => receiver.received(path).some(({ body }) => body.includes("4/Tcp"));
    await until(() => ["/batch", "/slack", "/discord", "/ntfy"].every(isWhole), 20, TIMEOUT_MS);
    const [batch, slack, discord, ntfy] = ["/batch", "/slack", "/discord", "/ntfy"].map((path) =>
      receiver.received(path).at(-1)!,
    );
    const { type, data } = verified<Change[]>(batched.secret, batch!);
    expect([type, data.slice(-5).map((change) => change.name)]).toEqual([
      "changes",
      [name, "1/Tcp", "2/Tcp", "3/Tcp", "4/Tcp"],
    ]);
    const { text } = JSON.parse(slack!.body) as { text: string };
    expect(text).toContain("&lt;!channel&gt;");
    expect(text).not.toContain("<!channel>");
    expect(JSON.parse(discord!.body)).toEqual({
      content: expect.stringContaining("**4/Tcp** was created"),
      allowed_mentions: { parse: [] },
    });
    expect(ntfy!.body.split("\n").at(-1)).toBe("Port 4/Tcp was created");
  });
});

describe("a webhook: pausing", () => {
  it("happens with the reason after three days of failures, or when its receiver responds with 410; enabled, it resumes where it stopped", async () => {
    const admin = anAdmin();
    const states = mongo.db(stack.databases.topology).collection<{ _id: string }>("webhook_states");
    for (const [path, status, reason] of [
      ["/dead", 500, /^All attempts of the last 3 days have failed\. .* responded with 500\.$/],
      ["/gone", 410, /410/],
    ] as const) {
      const webhook = await admin.aWebhook(path);
      receiver.respondWith(path, status);
      const failing_since = new Date(Date.now() - 3 * 86_400_000 - 1_000);
      await states.updateOne({ _id: webhook.id }, { $set: { failing_since } });
      await admin.aTag();
      const paused = await untilValue(
        () => admin.webhook(webhook),
        (found) => found.paused !== null,
      );
      expect(paused).toMatchObject({ is_enabled: false, paused: { reason: expect.stringMatching(reason) } });
      expect(
        await untilValue(
          () => admin.deliveries(webhook),
          ({ length }) => length > 0,
        ),
      ).toMatchObject([{ outcome: "failed", status, error: "refused", attempt: 1, changes: 1 }]);
      // Identity, which is not running here, would record it in the audit log.
      const noted = await mongo
        .db(stack.databases.topology)
        .collection("audit_notes")
        .findOne({ entity_id: webhook.id, action: "paused" });
      expect(noted).toMatchObject({
        actor: null,
        request_id: null,
        after: { paused: { reason: expect.stringMatching(reason) } },
      });
      const missed = await admin.aTag();
      receiver.respondWith(path, 200);
      expect(await admin.call("patch", `/api/v1/webhooks/${webhook.id}`, { is_enabled: true })).toMatchObject({
        is_enabled: true,
        paused: null,
      });
      await came(path, 2);
      expect(receiver.received(path)[1]?.body).toContain(missed.id);
      const { cursor } = (await admin.changes()).at(-1)!;
      const last = await untilValue(
        () => admin.progress(webhook),
        (found) => found?.cursor === cursor && found.delivered_at !== null,
      );
      expect(last).toMatchObject({ failing_since: null, attempts: 0 });
      await admin.call("delete", `/api/v1/webhooks/${webhook.id}`);
    }
  });
});

describe("a webhook: progress, tests and replays", () => {
  it("shows since when its next message fails, and where it continues", async () => {
    const admin = anAdmin();
    const webhook = await admin.aWebhook("/behind");
    await admin.aTag();
    await came("/behind", 1);
    receiver.respondWith("/behind", 503);
    await admin.aTag();
    const behind = await untilValue(
      () => admin.progress(webhook),
      (found) => (found?.attempts ?? 0) > 1,
    );
    expect(behind?.cursor).toBe((await admin.changes())[0]!.cursor);
    expect(Date.parse(behind!.failing_since!)).toBeGreaterThanOrEqual(Date.parse(behind!.delivered_at!));
  });

  it("is tested at once, replays what came after a cursor, and lists its deliveries", async () => {
    const admin = anAdmin();
    const webhook = await admin.aWebhook("/again");
    const path = `/api/v1/webhooks/${webhook.id}`;
    expect(await admin.call("post", `${path}/test`)).toMatchObject({
      kind: "test",
      outcome: "delivered",
      status: 200,
    });
    expect(verified(webhook.secret, receiver.received("/again")[0]!).type).toBe("test");
    for (let n = 0; n < 3; n++) await admin.aTag();
    await came("/again", 4);
    // The delivering process records it afterwards, unless the webhook was moved by then.
    const noted = (count: number): Promise<WebhookDelivery[]> =>
      untilValue(
        () => admin.deliveries(webhook),
        (found) => found.length === count,
      );
    await noted(4);
    const [first] = await admin.changes();
    await admin.call("post", `${path}/replay`, { after: first!.cursor });
    await came("/again", 6);
    await noted(6);
    const ids = receiver
      .received("/again")
      .slice(1)
      .map(({ id }) => id);
    expect(ids.slice(3)).toEqual(ids.slice(1, 3));
    const { secret } = await admin.call<{ secret: string }>("post", `${path}/rotate`);
    await admin.aTag();
    await came("/again", 7);
    expect(() => verified(webhook.secret, receiver.received("/again")[6]!)).toThrow();
    expect(verified(secret, receiver.received("/again")[6]!).type).toBe("tag.created");
    expect((await noted(7)).map(({ kind }) => kind)).toEqual([...Array.from({ length: 6 }, () => "changes"), "test"]);
  });
});
