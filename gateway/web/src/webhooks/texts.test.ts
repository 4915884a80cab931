import { describe, expect, it } from "@jest/globals";
import { answerText, contentOf, stateOf } from "./texts.js";

const delivery = (outcome: "delivered" | "failed", kind: "changes" | "test" = "changes") => ({ kind, outcome });
const paused = { at: "2026-11-23T00:12:05.441Z", reason: "Gone." };

describe("the state of a webhook", () => {
  it.each([
    ["Delivering", { is_enabled: true, paused: null }, []],
    ["Delivering", { is_enabled: true, paused: null }, [delivery("delivered"), delivery("failed")]],
    ["Delivering", { is_enabled: true, paused: null }, [delivery("failed", "test"), delivery("delivered")]],
    ["Behind", { is_enabled: true, paused: null }, [delivery("delivered", "test"), delivery("failed")]],
    ["Disabled", { is_enabled: false, paused: null }, [delivery("failed")]],
    ["Paused", { is_enabled: false, paused }, [delivery("failed")]],
  ])("is %s for %j after %j", (state, webhook, deliveries) => {
    expect(stateOf(webhook, deliveries)).toBe(state);
  });
});

describe("what a webhook sends", () => {
  const none = { network_ids: [], entities: [], actions: [], tag_ids: [] };
  it("is told in a few words", () => {
    expect(contentOf({ filter: none })).toBe("Everything");
    expect(
      contentOf({ filter: { ...none, entities: ["Host", "Service"], actions: ["created"], tag_ids: ["x"] } }),
    ).toBe("Host, Service: created, of some networks or tags");
  });
});

describe("what came of a delivery", () => {
  it("is the status that was answered, or else why there was none", () => {
    expect(answerText({ status: 503, error: "refused" })).toBe("HTTP 503");
    expect(answerText({ status: null, error: "no_connection" })).toBe("The connection could not be established.");
  });
});
