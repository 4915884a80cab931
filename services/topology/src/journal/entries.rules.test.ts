import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type Draft, draftsOf, type EntityEvent, type Known, knownAfter } from "./entries.rules.js";

const wireOf = (revision: number): string => JSON.stringify({ id: "h", name: `n${revision}`, network_id: "n" });

/** What may happen to a host, in the order of its database. */
const history = fc.array(fc.constantFrom("write", "miss", "find", "delete"), { maxLength: 12 }).map((steps) => {
  const events: EntityEvent[] = [];
  let revision = 0;
  let isThere = false;
  let isMissed = false;
  for (const [at, step] of steps.entries()) {
    const event = {
      collection: "hosts",
      id: "h",
      organizationId: "o",
      at: new Date(at),
      by: {},
      order: at + 1,
    } as const;
    if (step === "write") {
      revision += 1;
      const state = { wire: wireOf(revision), revision };
      events.push({ ...event, state, ...(!isThere && { isNew: true, missed: null }) });
      isMissed = isThere && isMissed;
      isThere = true;
    } else if (!isThere) continue;
    else if (step === "delete") {
      events.push({ ...event, state: null });
      isThere = false;
    } else if (isMissed === (step === "find")) {
      isMissed = step === "miss";
      events.push({ ...event, missed: isMissed ? 1_000 + at : null });
    }
  }
  return events;
});

/** Records events after an earlier state. */
function record(known: Known | null, events: readonly EntityEvent[]): { drafts: Draft[]; known: Known | null } {
  const drafts: Draft[] = [];
  let last = known;
  for (const event of events)
    for (const draft of draftsOf(last, event)) {
      drafts.push(draft);
      last = knownAfter(draft);
    }
  return { drafts, known: last };
}

describe("entries of an entity", () => {
  it("are one for each event, with what is missed since when, and none for repeated events", () => {
    fc.assert(
      fc.property(history, fc.nat(), (events, from) => {
        const { drafts, known } = record(null, events);
        expect(drafts.map(({ at }) => at)).toEqual(events.map(({ at }) => at));
        const missed = events.reduce<number | undefined>(
          (since, event) =>
            event.missed === undefined ? (event.state === null ? undefined : since) : (event.missed ?? undefined),
          undefined,
        );
        expect(known?.missed).toBe(missed);
        expect(record(known, events.slice(from % (events.length + 1))).drafts).toEqual([]);
      }),
    );
  });

  it("of a sighting carry the revision, and lead to nothing where the entity is not known", () => {
    const at = new Date();
    const event = {
      collection: "hosts",
      id: "h",
      organizationId: "o",
      at,
      by: { request_id: "r" },
      missed: 5,
    } as const;
    expect(draftsOf(null, event)).toEqual([]);
    const known = { organizationId: "o", state: { wire: wireOf(3), revision: 3 }, revision: 3 };
    const [missed] = draftsOf(known, { ...event, order: 7 });
    expect(missed).toMatchObject({
      action: "missed",
      revision: 3,
      wire: wireOf(3),
      missed: 5,
      request_id: "r",
      sighted: 7,
    });
    const [returned, ...others] = draftsOf(knownAfter(missed!), { ...event, missed: null, order: 8 });
    expect(returned).toMatchObject({ action: "returned", missed_before: 5, sighted: 8 });
    expect([returned, others]).toEqual([expect.not.objectContaining({ missed: 5 }), []]);
  });

  it("of what was compared are two if it has changed and is missed", () => {
    const known = { organizationId: "o", state: { wire: wireOf(1), revision: 1 }, revision: 1 };
    const state = { wire: wireOf(2), revision: 2 };
    const event = { collection: "hosts", id: "h", organizationId: "o", at: new Date(), by: {} } as const;
    const drafts = draftsOf(known, { ...event, state, missed: 9, isReconciled: true, isNew: true });
    expect(drafts.map(({ action, reconciled }) => [action, reconciled])).toEqual([
      ["updated", true],
      ["missed", true],
    ]);
  });
});
