import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { keysetOf, segmentsBehind } from "./keyset.js";

const list = { name: "Host", organizationId: "o" };
const query = { limit: 10, offset: 0, order_direction: "asc" } as const;
const entity = { _id: "b", name: "é", created_at: new Date(5) };

describe("keyset: a cursor", () => {
  it("continues after the entity that it was made from", () => {
    const first = keysetOf(list, { ...query, order_by: "name" });
    expect(first.segments).toEqual([{}]);
    const next = keysetOf(list, { ...query, order_by: "name", limit: 7, cursor: first.cursorAfter(entity) });
    expect(next.segments).toEqual([{ name: "é", _id: { $gt: "b" } }, { name: { $gt: "é" } }]);
    const times = keysetOf(list, query);
    const later = keysetOf(list, { ...query, cursor: times.cursorAfter(entity) });
    expect(later.segments).toEqual([
      { created_at: new Date(5), _id: { $gt: "b" } },
      { created_at: { $gt: new Date(5) } },
    ]);
  });

  it("is bound to one list of one organization, with its filters and its order", () => {
    const cursor = keysetOf(list, { ...query, ids: ["1"] } as never).cursorAfter(entity);
    const others = [
      () => keysetOf({ ...list, organizationId: "p" }, { ...query, ids: ["1"], cursor } as never),
      () => keysetOf({ ...list, name: "Service" }, { ...query, ids: ["1"], cursor } as never),
      () => keysetOf(list, { ...query, ids: ["2"], cursor } as never),
      () => keysetOf(list, { ...query, ids: ["1"], order_direction: "desc", cursor } as never),
      () => keysetOf(list, { ...query, ids: ["1"], group_by: "name", cursor } as never),
    ];
    for (const other of others) expect(other).toThrow(expect.objectContaining({ code: "cursor_invalid" }));
  });

  it("is rejected when it is anything else than a position", () => {
    const good = keysetOf(list, query).cursorAfter(entity);
    const [mark, time] = JSON.parse(Buffer.from(good, "base64url").toString()) as [string, object];
    for (const parts of [
      [mark],
      [mark, time],
      [mark, time, "b", 1],
      [mark, { $gt: 0 }, "b"],
      [mark, time, ["b"]],
      {},
      7,
    ])
      expect(() =>
        keysetOf(list, { ...query, cursor: Buffer.from(JSON.stringify(parts)).toString("base64url") }),
      ).toThrow(expect.objectContaining({ code: "cursor_invalid" }));
    for (const cursor of ["x", "null", "%", good.slice(1)])
      expect(() => keysetOf(list, { ...query, cursor })).toThrow(expect.objectContaining({ code: "cursor_invalid" }));
    expect(() => keysetOf(list, { ...query, offset: 1, cursor: good })).toThrow(
      expect.objectContaining({ code: "validation_failed" }),
    );
  });
});

describe("keyset: the rows after a position", () => {
  const documents = fc.uniqueArray(
    fc.record({ g: fc.option(fc.nat(2)), o: fc.option(fc.constantFrom("a", "b", "c")), _id: fc.nat(50) }),
    { selector: ({ _id }) => _id, maxLength: 20, minLength: 1 },
  );
  const sorts = fc.record({ g: fc.constant(1 as const), o: fc.constantFrom(1 as const, -1 as const) });

  it("are all later rows of the order, in its order, and nothing else", () => {
    fc.assert(
      fc.property(documents, sorts, fc.nat(19), (all, { g, o }, at) => {
        const sort = { g, o, _id: o };
        const ordered = [...all].sort((a, b) => compare(a, b, sort));
        const place = ordered[at % ordered.length]!;
        const segments = segmentsBehind(sort, [place.g, place.o, place._id]);
        const read = segments.flatMap((segment) => ordered.filter((one) => matches(one, segment)));
        expect(read).toEqual(ordered.slice(ordered.indexOf(place) + 1));
      }),
    );
  });
});

type Fields = Record<string, string | number | null>;

/** The order of the database: null first. */
function compare(a: Fields, b: Fields, sort: Record<string, 1 | -1>): number {
  for (const [field, direction] of Object.entries(sort)) {
    const x = a[field] ?? null;
    const y = b[field] ?? null;
    if (x !== y) return (x === null || (y !== null && x < y) ? -1 : 1) * direction;
  }
  return 0;
}

/** Comparisons match values of one type only, as in the database. */
function matches(one: Fields, segment: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(segment).every(([field, condition]) => {
    const value = one[field] ?? null;
    if (typeof condition !== "object" || condition === null) return value === condition;
    const { $gt, $lt = 0, $ne } = condition as { $gt?: string | number; $lt?: string | number; $ne?: null };
    if ($ne === null) return value !== null;
    return value !== null && ($gt === undefined ? value < $lt : value > $gt);
  });
}
