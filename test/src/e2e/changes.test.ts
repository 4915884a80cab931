/** Changes through the gateway: comments in any script, and long polls. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { AuditEntry, Change } from "@nts/shared/contract";
import { type Account, aKey, anAccount, callerOf } from "../support/api.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { until } from "../support/until.js";

let stack: SharedStack;
let account: Account;

beforeAll(async () => {
  stack = await sharedStack();
  account = await anAccount(stack.url);
});

describe("changes through the gateway", () => {
  it("carry the comment of the request, in any script", async () => {
    const { session } = account;
    // Headers are bytes: fetch sends each byte of UTF-8 as a character.
    const comment = Buffer.from("переїзд café").toString("latin1");
    const made = await session.send("post", "/api/v1/tags", { name: "first" }, { "change-comment": comment });
    expect(made.status).toBe(200);
    const { id } = made.body.data as { id: string };
    let changes: Change[] = [];
    await until(async () => (changes = await session.data("get", `/api/v1/changes?entity_id=${id}`)).length === 1);
    expect(changes[0]).toMatchObject({ comment: "переїзд café", actor: { email: account.email, key_id: null } });
  });

  it.each(["wait=20", "wait=%32%30", "%77ait=20"])("are not sent to a key that was deleted at %s", async (wait) => {
    const { session } = account;
    const { id, secret } = await aKey(stack.url, account);
    const holder = callerOf(stack.url, "key", { authorization: `Bearer ${secret}` });
    const { body } = await holder.send("get", "/api/v1/changes?limit=1000");
    const { next } = body.meta as unknown as { next: string };
    const waiting = holder.send("get", `/api/v1/changes?${wait}&after=${next}`);
    await session.data("delete", `/api/v1/auth/keys/${id}`);
    await session.data("post", "/api/v1/tags", { name: `second ${wait}` });
    const response = await waiting;
    expect([response.status, response.body.code]).toEqual([401, "api_key_invalid"]);
    expect(response.text).not.toContain("second");
  });
});

/** Well below the interval at which identity polls topology without a notice. */
const NOTICED_MS = 5_000;

describe("the audit log", () => {
  it("records what topology does to webhooks as soon as it is done", async () => {
    const { session, userId, email } = account;
    const { secret, ...made } = await session.data<{ id: string; secret: string }>("post", "/api/v1/webhooks", {
      url: "https://example.com/hook",
    });
    let entries: AuditEntry[] = [];
    await until(
      async () => (entries = await session.data("get", "/api/v1/audit?entity=Webhook")).length === 1,
      50,
      NOTICED_MS,
    );
    expect(entries[0]).toMatchObject({
      ...{ action: "created", entity_id: made.id, name: "example.com" },
      actor: { user_id: userId, email, key_id: null },
    });
    expect(JSON.stringify(entries)).not.toContain(secret);
  });
});
