import { describe, expect, it } from "@jest/globals";
import { isSeenFrom, isSelected } from "./filter.rules.js";
import { longestBackoffMs, reasonToPause } from "./failing.rules.js";
import { DISCORD, type Line, PLAIN, SLACK, textOfLines } from "./texts.rules.js";

const line: Line = {
  action: "updated",
  entity: "Host",
  name: "nas",
  email: "ada@example.com",
  fields: ["name"],
  comment: "moved",
};

describe("a message for chat services", () => {
  it("describes what was done, by whom, to what, and why", () => {
    expect(textOfLines([line], PLAIN)).toBe("Host nas was changed by ada@example.com (name): moved");
    expect(
      textOfLines(
        [{ action: "deleted", entity: "Tag", name: "a", fields: [], email: undefined, comment: undefined }],
        SLACK,
      ),
    ).toBe("Tag *a* was deleted");
    const missed = { ...line, action: "missed", fields: [], comment: undefined } as const;
    expect(textOfLines([missed, { ...missed, action: "returned" }], PLAIN)).toBe(
      "Host nas was no longer found (import by ada@example.com)\nHost nas is back (import by ada@example.com)",
    );
  });

  it("turns no name into markup, a link or a mention", () => {
    const name = "<!channel> <@U1> **b** [x](http://evil.example) `c` & @everyone";
    const slack = textOfLines([{ ...line, name }], SLACK);
    expect(slack).toContain("&lt;!channel&gt; &lt;@U1&gt;");
    expect(slack).not.toMatch(/<[!@#]/);
    const discord = textOfLines([{ ...line, name }], DISCORD);
    for (const sign of ["\\<", "\\@", "\\*\\*b", "\\[x\\]\\(", "\\`"]) expect(discord).toContain(sign);
  });

  it("stays within the length limit of the service, and counts what it omits", () => {
    const lines = Array.from({ length: 100 }, () => ({ ...line, name: "n".repeat(100) }));
    const text = textOfLines(lines, DISCORD);
    expect(text.length).toBeLessThan(2_000);
    expect(text).toMatch(/\nand \d+ more$/);
    expect(
      textOfLines(
        Array.from({ length: 30 }, () => line),
        SLACK,
      )
        .split("\n")
        .at(-1),
    ).toBe("and 10 more");
  });
});

describe("the rules of a webhook", () => {
  const everything = { network_ids: [], entities: [], actions: [], tag_ids: [], known: null };
  const entry = {
    network_id: "one",
    entity: "Host",
    action: "updated",
    wire: `{"tags":["new"]}`,
    old: `{"tags":["old"]}`,
  } as const;

  it("match changes that satisfy each filter, with tags from before or after the change", () => {
    expect(isSelected(everything, entry)).toBe(true);
    expect(isSelected({ ...everything, network_ids: ["two"] }, entry)).toBe(false);
    expect(isSelected({ ...everything, network_ids: ["one"] }, { ...entry, network_id: null })).toBe(false);
    expect(isSelected({ ...everything, entities: ["Tag"] }, entry)).toBe(false);
    expect(isSelected({ ...everything, actions: ["deleted", "updated"] }, entry)).toBe(true);
    const missed = { ...entry, action: "missed", old: undefined } as const;
    expect(isSelected({ ...everything, actions: ["created", "updated", "deleted"] }, missed)).toBe(false);
    expect(isSelected({ ...everything, actions: ["missed"], tag_ids: ["new"] }, missed)).toBe(true);
    const stranger = { ...entry, wire: `{"is_known":false}` };
    for (const [known, expected] of [
      [null, [true, true, true]],
      [true, [true, false, false]],
      [false, [false, true, false]],
    ] as const)
      expect(
        [entry, stranger, { ...stranger, entity: "Port" } as const].map((one) =>
          isSelected({ ...everything, known }, one),
        ),
      ).toEqual(expected);
    for (const [tag, expected] of [
      ["new", true],
      ["old", true],
      ["other", false],
    ] as const)
      expect([tag, isSelected({ ...everything, tag_ids: [tag] }, entry)]).toEqual([tag, expected]);
  });

  it("show it to callers who may use all networks that it names, and without any only to callers with all networks", () => {
    expect(isSeenFrom("all", everything)).toBe(true);
    expect(isSeenFrom(["one"], everything)).toBe(false);
    expect(isSeenFrom(["one"], { ...everything, network_ids: ["one"] })).toBe(true);
    expect(isSeenFrom(["one"], { ...everything, network_ids: ["one", "two"] })).toBe(false);
  });

  it("back off after each failure, up to ten minutes, and pause it after three days", () => {
    expect([1, 2, 3, 10, 11, 5_000].map(longestBackoffMs)).toEqual([1_000, 2_000, 4_000, 512_000, 600_000, 600_000]);
    const now = new Date("2026-11-23T00:00:00Z");
    const since = (ms: number) => ({ failingSince: new Date(now.getTime() - ms), now });
    expect(reasonToPause({ status: 500, error: "refused" }, since(3 * 86_400_000 - 1))).toBeNull();
    expect(reasonToPause({ status: null, error: "timeout" }, since(3 * 86_400_000))).toContain(
      "did not respond in time",
    );
    expect(reasonToPause({ status: 410, error: "refused" }, since(0))).toContain("410");
  });
});
