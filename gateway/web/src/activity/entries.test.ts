import { describe, expect, it } from "@jest/globals";
import type { Change } from "@nts/shared/contract";
import { comparisonOf, fieldsText, groupsOf, valueText, withRecent } from "./entries.js";

function anEntry(cursor: string, more: Partial<Change> = {}): Change {
  return {
    cursor,
    at: "2026-11-22T18:20:05.441Z",
    action: "updated",
    entity: "Service",
    entity_id: "e",
    network_id: "n",
    host_id: "h",
    name: "web",
    before: { id: "e", name: "a", tags: [], updated_at: "1", position: 0 },
    after: { id: "e", name: "b", tags: [], updated_at: "2", position: 0 },
    fields: ["name"],
    actor: null,
    request_id: null,
    comment: null,
    reconciled: false,
    ...more,
  };
}

describe("journal entries on the activity page", () => {
  it("are grouped by request, at the position of the newest one", () => {
    const entries = [
      anEntry("6", { request_id: "b" }),
      anEntry("5"),
      anEntry("4", { request_id: "a" }),
      anEntry("3", { request_id: "b" }),
      anEntry("2"),
    ];
    const grouped = groupsOf(entries).map(({ id, entries: group }) => [id, group.map(({ cursor }) => cursor)]);
    expect(grouped).toEqual([
      ["b", ["6", "3"]],
      ["5", ["5"]],
      ["a", ["4"]],
      ["2", ["2"]],
    ]);
  });

  it("start with those that arrived since, each once", () => {
    const at = (n: number): string => `2026-11-22T18:00:0${n}.000Z`;
    const of = (...numbers: number[]): Change[] => numbers.map((n) => anEntry(String(n), { at: at(n) }));
    const describe = (read: number[], recent: number[]): string =>
      withRecent(of(...read), of(...recent))
        .map(({ cursor }) => cursor)
        .join("");
    expect(describe([3, 2, 1], [4, 5])).toBe("54321");
    expect(describe([4, 3, 2], [1, 2, 3, 4, 5, 6])).toBe("65432");
    expect(describe([6, 5], [3, 4])).toBe("65");
    expect(describe([4, 3, 2], [1, 2])).toBe("432");
    expect([describe([], [1, 2]), describe([2, 1], []), describe([], [])]).toEqual(["21", "21", ""]);
  });

  it("of one request appear once while the request is received in parts", () => {
    const ofOneMoment = (cursors: string[]): Change[] => cursors.map((cursor) => anEntry(cursor));
    const of = (read: string[], recent: string[]): string[] =>
      withRecent(ofOneMoment(read), ofOneMoment(recent)).map(({ cursor }) => cursor);
    expect(of(["4", "3", "2", "1"], ["1", "2"])).toEqual(["4", "3", "2", "1"]);
    // The list holds one page, and the request has more entries.
    expect(of(["4", "3"], ["1", "2"])).toEqual(["4", "3"]);
  });

  it("show changed members before unchanged ones, and hide internal ones", () => {
    const rows = comparisonOf(anEntry("1"));
    expect(rows.map(({ name, isChanged }) => [name, isChanged])).toEqual([
      ["name", true],
      ["tags", false],
      ["position", false],
    ]);
    expect(rows[0]).toMatchObject({ before: "a", after: "b" });
  });

  it("of a created or deleted entity show members with a value before empty ones", () => {
    const created = comparisonOf(anEntry("1", { action: "created", before: null, fields: [] }));
    expect(created.map(({ name, before, after, isChanged }) => [name, before, after, isChanged])).toEqual([
      ["name", undefined, "b", true],
      ["position", undefined, 0, true],
      ["tags", undefined, [], false],
    ]);
    const deleted = comparisonOf(anEntry("1", { action: "deleted", after: null, fields: [] }));
    expect(deleted.map(({ before, after }) => [before, after])).toEqual([
      ["a", undefined],
      [0, undefined],
      [[], undefined],
    ]);
  });

  it("show members and values as words", () => {
    expect([null, undefined, "", true, "x", 3, { a: 1 }].map(valueText)).toEqual([
      "–",
      "–",
      "–",
      "Yes",
      "x",
      "3",
      '{"a":1}',
    ]);
    expect(fieldsText({ fields: ["name", "ip_address"] })).toBe("name, IP address");
    expect(fieldsText({ fields: ["name", "tags", "hidden", "source", "hostname", "description"] })).toBe(
      "name, tags, hidden, source and 2 more",
    );
  });
});
