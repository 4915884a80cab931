import { describe, expect, it } from "@jest/globals";
import { endOfShare, shareSettings } from "./share.rules.js";

const now = new Date("2026-01-31T09:30:00.000Z");
const input = { expires_at: null, allow_embedding: [], hide: [], as_of: null };
const ofNetwork = { id: "view", network_id: "home", name: "Rack" };
const ofAll = { ...ofNetwork, network_id: null };

describe("a new share", () => {
  it("shows the network of its view, or the one that is asked for", () => {
    expect(shareSettings(ofNetwork, input, now)).toMatchObject({ view_id: "view", network_id: "home", name: "Rack" });
    expect(shareSettings(ofNetwork, { ...input, network_id: "home" }, now).network_id).toBe("home");
    expect(shareSettings(ofAll, { ...input, network_id: "office" }, now).network_id).toBe("office");
    expect(() => shareSettings(ofAll, input, now)).toThrow(expect.objectContaining({ code: "validation_failed" }));
    expect(() => shareSettings(ofNetwork, { ...input, network_id: "office" }, now)).toThrow(
      expect.objectContaining({ code: "network_mismatch" }),
    );
  });

  it("ends in the future, and shows no future", () => {
    const refused = expect.objectContaining({ code: "validation_failed" });
    expect(() => shareSettings(ofNetwork, { ...input, expires_at: now.toISOString() }, now)).toThrow(refused);
    expect(() => shareSettings(ofNetwork, { ...input, as_of: "2026-01-31T09:30:00.001Z" }, now)).toThrow(refused);
    expect(shareSettings(ofNetwork, { ...input, as_of: now.toISOString() }, now).as_of).toEqual(now);
  });
});

describe("the end of a share", () => {
  const day = (n: number): Date => new Date(now.getTime() + n * 86_400_000);
  it.each([
    [null, null, null],
    [day(5), null, day(5)],
    [null, 3, day(3)],
    [day(2), 3, day(2)],
    [day(5), 3, day(3)],
  ])("of one that expires at %s, with a maximum of %s days, is %s", (expires_at, most, end) => {
    expect(endOfShare({ created_at: now, expires_at }, most)).toEqual(end);
  });
});
