import { describe, expect, it } from "@jest/globals";
import { sortOf } from "./order.js";

const entries = (...given: Parameters<typeof sortOf>): [string, number][] => Object.entries(sortOf(...given));

describe("order: how lists are sorted", () => {
  it("is by creation, then id, by default", () => {
    expect(entries({ order_direction: "asc" })).toEqual([
      ["created_at", 1],
      ["_id", 1],
    ]);
  });

  it("applies a direction alone to the default order", () => {
    expect(entries({ order_direction: "desc" })).toEqual([
      ["created_at", -1],
      ["_id", -1],
    ]);
  });

  it("keeps groups ascending whatever the direction", () => {
    const query = { group_by: "name", order_by: "updated_at", order_direction: "desc" } as const;
    expect(entries(query)).toEqual([
      ["name", 1],
      ["updated_at", -1],
      ["_id", -1],
    ]);
    expect(entries({ ...query, order_by: "name" })).toEqual([
      ["name", 1],
      ["_id", -1],
    ]);
  });

  it("sorts by the stored field where it has another name", () => {
    expect(entries({ order_by: "cidr", order_direction: "asc" }, { cidr: "cidr_key" })).toEqual([
      ["cidr_key", 1],
      ["_id", 1],
    ]);
  });
});
