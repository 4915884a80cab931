import { describe, expect, it } from "@jest/globals";
import { chosenIn, shownColumns } from "./chosen-columns.js";
import type { Column } from "./data-table.js";

const column = (id: string, more: Partial<Column<null>> = {}): Column<null> => ({
  ...{ id, label: id, cell: () => null },
  ...more,
});
const ALL = [column("name"), column("role", { optional: true }), column("ports"), column("owner", { onRequest: true })];

describe("the columns of a list", () => {
  it("are the usual ones until some are chosen", () => {
    expect(shownColumns(ALL, null).map(({ id, optional }) => [id, optional])).toEqual([
      ["name", undefined],
      ["role", true],
      ["ports", undefined],
    ]);
  });

  it("are the chosen ones at every width, in their order, after the name", () => {
    expect(shownColumns(ALL, new Set(["owner", "role", "sold"]))).toMatchObject([
      { id: "name" },
      { id: "role" },
      { id: "owner" },
    ]);
    expect(shownColumns(ALL, new Set(["role"])).some(({ optional }) => optional === true)).toBe(false);
  });

  it.each([null, "", "{}", "[1", "7"])("ignore what was not stored by them: %j", (stored) => {
    expect(chosenIn(stored)).toBeNull();
  });

  it("are remembered", () => {
    expect(chosenIn('["role", 7]')).toEqual(new Set(["role"]));
  });
});
