/** What a gateway that has rejected a credential for the lack of a second factor does once there is one. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { SecondFactorOffer } from "@nts/shared/contract";
import { aColleague, aKey, anAccount, callerOf } from "../support/api.js";
import { codeOf, withSecondFactor } from "../support/second-factors.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

describe("a user of an organization that requires a second factor", () => {
  it("can use keys and sessions as soon as the response that enables one at sign-in arrives", async () => {
    const owner = await anAccount(stack.url);
    const colleague = await aColleague(stack.url, owner);
    const { email, password } = colleague;
    const credentials = [colleague.session, (await aKey(stack.url, colleague, { permissions: "Viewer" })).caller];
    await withSecondFactor(owner);
    const required = { require_second_factor: true };
    await owner.session.data("patch", `/api/v1/organizations/${owner.organizationId}`, required);

    const browser = callerOf(stack.url, "browser");
    const { body } = await browser.send("post", "/api/auth/login", { email, password });
    expect([body.code, body.params]).toEqual(["second_factor_required", expect.objectContaining({ set_up: true })]);
    const challenge = String(body.params["challenge"]);
    const { secret } = await browser.data<SecondFactorOffer>("post", "/api/auth/login/second-factor/offer", { challenge }); // prettier-ignore
    const statuses = () =>
      Promise.all(credentials.map(async (caller) => (await caller.send("get", "/api/v1/hosts")).status));
    expect(await statuses()).toEqual([401, 401]);
    await browser.data("post", "/api/auth/login/second-factor/enable", { challenge, code: codeOf(secret) });
    expect(await statuses()).toEqual([200, 200]);
  });
});
