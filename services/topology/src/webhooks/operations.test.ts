import { expect, it } from "@jest/globals";
import type { Webhook } from "@nts/shared/contract";
import type { WebhookStates } from "../storage/webhook-states.js";
import { createAddressGuard } from "./guard.js";
import { createWebhookOperations } from "./operations.js";
import type { Outcome } from "./send.js";

const WEBHOOK: Webhook = {
  ...{ id: "webhook", created_at: "", updated_at: "", organization_id: "organization", paused: null },
  created_by: { user_id: "user", key_id: null, email: null },
  ...{ url: "https://receiver.example", format: "standard", batch_seconds: 0, is_enabled: true },
  filter: { network_ids: [], entities: [], actions: [], tag_ids: [], known: null },
};

it("a test message that its receiver does not answer is aborted when the process stops, and not recorded", async () => {
  const noted: unknown[] = [];
  const states = {
    find: () => Promise.resolve(null),
    note: (_of: unknown, delivery: unknown) => Promise.resolve(void noted.push(delivery)),
  };
  let sent = (): void => undefined;
  const isSent = new Promise<void>((resolve) => (sent = resolve));
  const operations = createWebhookOperations({
    states: states as unknown as WebhookStates,
    guard: createAddressGuard([]),
    send: ({ signal }) => {
      sent();
      return new Promise<Outcome>((resolve) => {
        signal.addEventListener("abort", () => {
          resolve({ status: null, error: "timeout", durationMs: 1 });
        });
      });
    },
    secretOf: () => Promise.resolve("whsec_c2VjcmV0"),
    most: 1,
  });
  const response = operations.test(WEBHOOK).catch((error: unknown) => error);
  await isSent;
  operations.stop();
  expect(await response).toMatchObject({ code: "unavailable" });
  expect(noted).toEqual([]);
}, 5_000);
