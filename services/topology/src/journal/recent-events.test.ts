import { describe, expect, it } from "@jest/globals";
import type { JournalDocument } from "./entries.rules.js";
import { createRecentEvents, type SelectableEntry } from "./recent-events.js";

const ORGANIZATION = "o";

function entry(n: number, network_id = "a"): JournalDocument {
  return { organization_id: ORGANIZATION, n, network_id, entity: "Host" } as JournalDocument;
}

const ofNetwork = (id: string) => (one: SelectableEntry) => one.network_id === id;
const selection = { after: 0, upTo: 9, isMine: ofNetwork("a"), bytes: 1_000 };

describe("recent events", () => {
  it("are those that the follower selects, in order, with the last number examined", () => {
    const recent = createRecentEvents();
    recent.add(entry(1), Buffer.from("1"));
    recent.add(entry(2, "b"), Buffer.from("2"));
    recent.add(entry(3), Buffer.from("3"));
    recent.add(entry(4, "b"), null);

    expect(recent.take(ORGANIZATION, selection)).toEqual({
      events: [Buffer.from("1"), Buffer.from("3")],
      n: 4,
      last: 3,
    });
  });

  it("are read from the journal by a follower who selects what no other did", () => {
    const recent = createRecentEvents();
    recent.add(entry(1), Buffer.from("1"));
    recent.add(entry(2, "b"), null);
    const isMine = (): boolean => true;

    expect(recent.take(ORGANIZATION, { ...selection, isMine })).toMatchObject({ n: 1, last: 1 });
    expect(recent.take(ORGANIZATION, { ...selection, isMine, after: 1 })).toBeNull();
  });

  it("end where an entry is not kept, at the limit of bytes, and at the last number", () => {
    const recent = createRecentEvents();
    for (const n of [2, 3, 4, 5]) recent.add(entry(n), Buffer.alloc(600));

    expect(recent.take(ORGANIZATION, selection)).toBeNull();
    expect(recent.take(ORGANIZATION, { ...selection, after: 1 })).toMatchObject({ n: 3 });
    expect(recent.take(ORGANIZATION, { ...selection, after: 1, upTo: 2 })).toMatchObject({ n: 2 });
    expect(recent.take("another", { ...selection, after: 1 })).toBeNull();
  });

  it("leave in the order in which they came when they exceed the memory", () => {
    const recent = createRecentEvents();
    for (let n = 1; n <= 20; n++) recent.add(entry(n), Buffer.alloc(1_048_576));

    expect(recent.take(ORGANIZATION, { ...selection, upTo: 20 })).toBeNull();
    expect(recent.take(ORGANIZATION, { ...selection, after: 19, upTo: 20 })).toMatchObject({ n: 20 });
  });
});
