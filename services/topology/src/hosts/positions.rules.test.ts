import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { placeAll, placeExisting, placeNew, type Shift } from "./positions.rules.js";

/** A list as in the database: items with positions, unordered. */
type Stored = Map<string, number>;

function applyShift(stored: Stored, shift: Shift | null, except: string): void {
  if (shift === null) return;
  for (const [item, position] of stored)
    if (item !== except && position >= shift.from && position <= shift.to) stored.set(item, position + shift.by);
}

function add(stored: Stored, item: string, requested: number | undefined): void {
  const { position, shift } = placeNew(requested, stored.size);
  stored.set(item, position);
  applyShift(stored, shift, item);
}

function move(stored: Stored, item: string, requested: number | undefined): void {
  const { position, shift } = placeExisting(stored.get(item)!, requested, stored.size);
  stored.set(item, position);
  applyShift(stored, shift, item);
}

/** Deletes like the store, which closes the gap itself. */
function remove(stored: Stored, item: string): void {
  stored.delete(item);
  inOrder(stored).forEach((left, position) => stored.set(left, position));
}

const inOrder = (stored: Stored): string[] => [...stored].sort(([, a], [, b]) => a - b).map(([item]) => item);
const listOf = (...items: string[]): Stored => new Map(items.map((item, index) => [item, index]));

function after(change: (stored: Stored) => void, ...items: string[]): string {
  const stored = listOf(...items);
  change(stored);
  return inOrder(stored).join("");
}

describe("positions: inserting and moving", () => {
  it("appends a new item without a position, or with one beyond the end", () => {
    expect(after((list) => add(list, "x", undefined), "a", "b")).toBe("abx");
    expect(after((list) => add(list, "x", 99), "a", "b")).toBe("abx");
    expect(after((list) => add(list, "x", 5))).toBe("x");
  });

  it("inserts a new item at its position and shifts those from there on", () => {
    expect(after((list) => add(list, "x", 0), "a", "b", "c")).toBe("xabc");
    expect(after((list) => add(list, "x", 1), "a", "b", "c")).toBe("axbc");
  });

  it("moves an item in both directions, and shifts only those that it passes", () => {
    expect(after((list) => move(list, "d", 1), "a", "b", "c", "d", "e")).toBe("adbce");
    expect(after((list) => move(list, "b", 3), "a", "b", "c", "d", "e")).toBe("acdbe");
    expect(placeExisting(3, 1, 5).shift).toEqual({ from: 1, to: 2, by: 1 });
    expect(placeExisting(1, 3, 5).shift).toEqual({ from: 2, to: 3, by: -1 });
  });

  it("treats a position beyond the end as the last one", () => {
    expect(after((list) => move(list, "a", 99), "a", "b", "c")).toBe("bca");
  });

  it("moves nothing when the position is absent or unchanged", () => {
    expect(placeExisting(1, undefined, 3)).toEqual({ position: 1, shift: null });
    expect(placeExisting(1, 1, 3)).toEqual({ position: 1, shift: null });
    expect(placeExisting(2, 99, 3)).toEqual({ position: 2, shift: null });
    expect(placeNew(3, 3)).toEqual({ position: 3, shift: null });
  });

  it("inserts several new items one after the other, in the given order", () => {
    expect(placeAll([undefined, undefined, undefined])).toEqual([0, 1, 2]);
    expect(placeAll([undefined, 0, undefined, 1])).toEqual([2, 0, 3, 1]);
    expect(placeAll([7, 7, 0])).toEqual([1, 2, 0]);
    expect(placeAll([])).toEqual([]);
  });
});

const aPlace = fc.option(fc.nat(12), { nil: undefined });
const anAct = fc.record({ act: fc.constantFrom("add", "add", "move", "remove"), item: fc.nat(20), requested: aPlace });

describe("positions: properties of any history", () => {
  it("are dense from 0, and equal a plain list with the same operations", () => {
    fc.assert(
      fc.property(fc.array(anAct, { maxLength: 40 }), (history) => {
        const stored: Stored = new Map();
        const plain: string[] = [];
        history.forEach(({ act, item, requested }, step) => {
          const chosen = plain[item % Math.max(1, plain.length)];
          if (act === "add" || chosen === undefined) {
            add(stored, `item${step}`, requested);
            plain.splice(requested ?? plain.length, 0, `item${step}`);
          } else {
            const at = plain.indexOf(chosen);
            plain.splice(at, 1);
            if (act === "remove") remove(stored, chosen);
            else {
              move(stored, chosen, requested);
              plain.splice(requested ?? at, 0, chosen);
            }
          }
          expect([...stored.values()].sort((a, b) => a - b)).toEqual([...stored.keys()].map((_, index) => index));
        });
        expect(inOrder(stored)).toEqual(plain);
      }),
    );
  });

  it("are the same for items created together as for items created one by one", () => {
    fc.assert(
      fc.property(fc.array(aPlace, { maxLength: 12 }), (requested) => {
        const stored: Stored = new Map();
        requested.forEach((place, item) => add(stored, String(item), place));
        expect(placeAll(requested)).toEqual(requested.map((_, item) => stored.get(String(item))));
      }),
    );
  });
});
