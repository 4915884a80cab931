import { expect, it } from "@jest/globals";
import { createLog } from "@nts/shared/log";
import { BACKGROUND } from "@nts/shared/work";
import type { EndedMakers } from "../storage/ended-webhook-makers.js";
import { createWebhookPausing } from "./webhook-pausing.js";

it("a request whose webhooks the sweep has paused meanwhile names them", async () => {
  const paused = { id: "webhook", host: "hooks.example.com", is_paused: true };
  const requests: unknown[] = [];
  const makers = { due: () => Promise.resolve([]) } as unknown as EndedMakers;
  const topology = {
    endWebhooks: (of: unknown) => {
      requests.push(of);
      return Promise.resolve([paused]);
    },
  };
  const { pauseAndList } = createWebhookPausing(makers, topology, createLog("identity", "silent"));
  const maker = { organization_id: "organization", user_id: "user" };
  expect(await pauseAndList(BACKGROUND, maker)).toEqual({ webhooks: [paused] });
  expect(requests).toEqual([{ ...maker, key_id: null, reason: null }]);
});
