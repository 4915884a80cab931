import { describe, expect, it } from "@jest/globals";
import { afterSignIn, type KnownPlaces, withoutVersion } from "./sign-in-places.rules.js";

const start = new Date("2026-06-01T12:00:00.000Z");
const after = (hours: number): Date => new Date(start.getTime() + hours * 3_600_000);

/** Which of these sign-ins, one per hour, are notified. */
function notifiedOf(...places: readonly (readonly [string, string])[]): boolean[] {
  let known: KnownPlaces | null = null;
  return places.map(([address, browser], hour) => {
    const next = afterSignIn(known, { address, browser, now: after(hour) });
    known = next.known;
    return next.isNotified;
  });
}

describe("sessions.places: a sign-in", () => {
  it("is notified when its address or its browser is new, except for the first one", () => {
    expect(
      notifiedOf(["home", "fox"], ["home", "fox"], ["cafe", "fox"], ["home", "chrome"], ["cafe", "chrome"]),
    ).toEqual([...[false, false], ...[true, true], false]);
  });

  it("is notified five times a day at most", () => {
    const places = Array.from({ length: 30 }, (_, n) => [`address ${n}`, "fox"] as const);
    const notified = notifiedOf(...places);
    expect(notified.filter(Boolean)).toHaveLength(10);
    expect(notified.slice(6, 24)).not.toContain(true);
  });

  it("is recognized by one of the fifty latest places", () => {
    let known: KnownPlaces | null = null;
    for (let n = 0; n < 60; n++) known = afterSignIn(known, { address: `${n}`, browser: "fox", now: after(n) }).known;
    expect([known?.addresses.length, known?.addresses[0]?.hash]).toEqual([50, "59"]);
  });
});

describe("sessions.places: a browser", () => {
  it("is the same in another version", () => {
    expect(withoutVersion("Firefox 131 on Linux")).toBe("Firefox on Linux");
    expect(withoutVersion("curl/8.5.0")).toBe("curl");
  });
});
