import { describe, expect, it } from "@jest/globals";
import { createSafePlace } from "./safe-place.js";
import type { ChangeEvent } from "./stream.js";

const token = (at: string) => ({ at });

/** An event at a position, in a transaction if one is named. */
function event(at: string, transaction?: string): ChangeEvent {
  const inside = { lsid: { id: { toString: () => transaction ?? "" } }, txnNumber: 1 };
  return { _id: token(at), ...(transaction !== undefined && inside) } as unknown as ChangeEvent;
}

describe("the position from which a journal can resume", () => {
  it("is behind the last event, but not within a transaction", () => {
    const place = createSafePlace(token("start"));
    expect(place.safe(null)).toEqual(token("start"));
    place.pass([event("a"), event("b"), event("c", "t"), event("d", "t")], token("d"));
    expect(place.safe(null)).toEqual(token("b"));
    place.pass([event("e", "t")], token("e"));
    expect(place.safe(null)).toEqual(token("b"));
    place.pass([], token("f"));
    expect(place.safe(null)).toEqual(token("f"));
  });

  it("is before the take whose events wait, and moves on with it", () => {
    const place = createSafePlace(token("start"));
    for (const at of ["a", "b", "c"]) place.pass([event(at)], token(at));
    expect(place.safe(1)).toEqual(token("start"));
    expect(place.safe(3)).toEqual(token("b"));
    place.pass([event("d")], token("d"));
    expect(place.safe(3)).toEqual(token("b"));
    expect(place.safe(null)).toEqual(token("d"));
  });

  it("is never behind what waits, however many takes follow it", () => {
    const place = createSafePlace(token("start"));
    for (let take = 1; take <= 10_000; take++) place.pass([event(`${take}`)], token(`${take}`));
    expect(place.safe(1)).toEqual(token("start"));
    for (const take of [2, 500, 9_999])
      expect(Number((place.safe(take) as { at: string }).at.replace("start", "0"))).toBeLessThan(take);
  });
});
