/** Reading ends with the access of who made a webhook. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { MadeWebhooks, Webhook } from "@nts/shared/contract";
import { type Account, aColleague, aKey, anAccount, type Caller } from "../support/api.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";

const WEBHOOKS = "/api/v1/webhooks";
const url = "https://hooks.example.com/";

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

const make = (caller: Caller) => caller.data<Webhook>("post", WEBHOOKS, { url });
const get = ({ session }: Account, { id }: Webhook) => session.data<Webhook>("get", `${WEBHOOKS}/${id}`);
const reasonOf = async (owner: Account, webhook: Webhook) => (await get(owner, webhook)).paused?.reason ?? null;
const remove = ({ session }: Account, path: string) => session.data<MadeWebhooks>("delete", path);

/** An Owner and an Admin, with a webhook of the Owner. */
async function aTeam() {
  const owner = await anAccount(stack.url);
  const colleague = await aColleague(stack.url, owner, { permissions: "Admin" });
  return { owner, colleague, own: await make(owner.session) };
}

describe("a webhook", () => {
  it("is made and redirected by sessions and unlimited keys only, and names them", async () => {
    const { owner, own } = await aTeam();
    const network = await owner.session.data<{ id: string }>("post", "/api/v1/networks", { name: "Home" });
    expect(own.created_by).toEqual({ user_id: owner.userId, key_id: null, email: owner.email });
    const key = await aKey(stack.url, owner, { permissions: "Admin" });
    expect((await make(key.caller)).created_by).toEqual({ user_id: owner.userId, key_id: key.id, email: owner.email });
    const limits = [
      { expires_at: new Date(Date.now() + 3_600_000).toISOString() },
      { network_ids: [network.id] },
      { allowed_ips: ["127.0.0.1", "::1"] },
      { rate_limit_per_minute: 1_000 },
    ];
    for (const limit of limits) {
      const { caller } = await aKey(stack.url, owner, { permissions: "Admin", ...limit });
      const body = { url, filter: { network_ids: [network.id] } };
      const refused = { status: 403, body: { code: "permission_denied", params: { required: "session" } } };
      expect(await caller.send("post", WEBHOOKS, body)).toMatchObject(refused);
      expect(await caller.send("patch", `${WEBHOOKS}/${own.id}`, { url: `${url}theirs` })).toMatchObject(refused);
    }
  });

  it("is paused and listed when its user is removed, unless it is to be kept", async () => {
    const { owner, colleague, own } = await aTeam();
    const other = await aColleague(stack.url, owner, { permissions: "Admin" });
    const key = await aKey(stack.url, colleague, { permissions: "Admin" });
    const first = await make(colleague.session);
    const second = await make(key.caller);
    const kept = await make(other.session);
    const listed = (webhook: Webhook, is_paused: boolean) => ({ id: webhook.id, host: "hooks.example.com", is_paused });
    const removed = await remove(owner, `/api/v1/users/${colleague.userId}`);
    expect(removed?.webhooks).toHaveLength(2);
    expect(removed?.webhooks).toEqual(expect.arrayContaining([listed(first, true), listed(second, true)]));
    for (const webhook of [first, second])
      expect(await reasonOf(owner, webhook)).toBe("The user who created it was removed.");
    expect(await remove(owner, `/api/v1/users/${other.userId}?keep_webhooks=true`)).toEqual({
      webhooks: [listed(kept, false)],
    });
    for (const webhook of [own, kept])
      expect(await get(owner, webhook)).toMatchObject({ is_enabled: true, paused: null });

    await owner.session.data("patch", `${WEBHOOKS}/${first.id}`, { is_enabled: true });
    expect(await get(owner, first)).toMatchObject({ paused: null, created_by: { user_id: owner.userId } });
  });

  it("is paused when its user is demoted, leaves, or deletes the account", async () => {
    const { owner, colleague, own } = await aTeam();
    const leaver = await aColleague(stack.url, owner, { permissions: "Admin" });
    const deleter = await aColleague(stack.url, owner, { permissions: "Admin" });
    const demoted = await make(colleague.session);
    const left = await make(leaver.session);
    const deleted = await make(deleter.session);
    await owner.session.data("patch", `/api/v1/users/${colleague.userId}`, { permissions: "Member" });
    await leaver.session.data("post", "/api/v1/organizations/leave", { password: leaver.password });
    await deleter.session.data("delete", "/api/auth/me", { password: deleter.password });
    expect(await Promise.all([demoted, left, deleted, own].map((webhook) => reasonOf(owner, webhook)))).toEqual([
      "The user who created it may no longer manage webhooks.",
      "The user who created it was removed.",
      "The user who created it was removed.",
      null,
    ]);
  });

  it("is paused when its key is reported as leaked, deleted, disabled or lowered, unless it is to be kept", async () => {
    const { owner, colleague, own } = await aTeam();
    const keys = await Promise.all(
      Array.from({ length: 6 }, () => aKey(stack.url, colleague, { permissions: "Admin" })),
    );
    const made = await Promise.all(keys.map(({ caller }) => make(caller)));
    const [leaked, deleted, revoked, kept, disabled, lowered] = keys.map(({ id }) => `/api/v1/auth/keys/${id}`);
    await owner.session.data("post", "/api/auth/keys/revoke", { keys: [keys[0]!.secret] });
    expect((await colleague.session.send("get", leaked!)).status).toBe(404);
    expect((await remove(colleague, deleted!))?.webhooks).toMatchObject([{ id: made[1]!.id, is_paused: true }]);
    const ofAll = revoked!.replace("/auth/", "/organizations/");
    expect((await remove(owner, ofAll))?.webhooks).toMatchObject([{ id: made[2]!.id, is_paused: true }]);
    expect((await remove(colleague, `${kept!}?keep_webhooks=true`))?.webhooks).toMatchObject([
      { id: made[3]!.id, is_paused: false },
    ]);
    await colleague.session.data("patch", disabled!, { is_enabled: false });
    await colleague.session.data("patch", lowered!, { permissions: "Viewer" });
    const revokedText = "The API key with which it was created was revoked.";
    expect(await Promise.all([...made, own].map((webhook) => reasonOf(owner, webhook)))).toEqual([
      "The API key with which it was created was reported as leaked.",
      revokedText,
      revokedText,
      null,
      revokedText,
      revokedText,
      null,
    ]);
  });
});
