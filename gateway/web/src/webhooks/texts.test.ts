import { describe, expect, it } from "@jest/globals";
import { responseText, contentOf, stateOf } from "./texts.js";

const since = { failing_since: "2026-11-22T20:12:05.441Z" };
const paused = { at: "2026-11-23T00:12:05.441Z", reason: "Gone." };

describe("the state of a webhook", () => {
  it.each([
    ["Delivering", { is_enabled: true, paused: null }, undefined],
    ["Delivering", { is_enabled: true, paused: null }, { failing_since: null }],
    ["Behind", { is_enabled: true, paused: null }, since],
    ["Disabled", { is_enabled: false, paused: null }, since],
    ["Paused", { is_enabled: false, paused }, since],
  ])("is %s for %j with %j", (state, webhook, progress) => {
    expect(stateOf(webhook, progress)).toBe(state);
  });
});

describe("the filter of a webhook", () => {
  const none = { network_ids: [], entities: [], actions: [], tag_ids: [], known: null };
  it("is summarized in a few words", () => {
    expect(contentOf({ filter: none })).toBe("Everything");
    expect(
      contentOf({ filter: { ...none, entities: ["Host", "Service"], actions: ["created"], tag_ids: ["x"] } }),
    ).toBe("Host, Service: created, of some networks or tags");
  });
});

describe("the result of a delivery", () => {
  it("is the status of the response, or the reason why there was none", () => {
    expect(responseText({ status: 503, error: "refused" })).toBe("HTTP 503");
    expect(responseText({ status: null, error: "no_connection" })).toBe("The connection could not be established.");
  });
});
