import { describe, expect, it } from "@jest/globals";
import type { Change } from "@nts/shared/contract";
import { newsAmong, newsText } from "./news.js";

const entry = (entity_id: string, action: Change["action"], at: string, is_known = false): Change =>
  ({ entity_id, action, at, after: { is_known } }) as unknown as Change;

describe("news", () => {
  it("are the last of each host, newest first, without new hosts that somebody knows", () => {
    const entries = [
      entry("a", "created", "1"),
      entry("b", "created", "2", true),
      entry("a", "missed", "3"),
      entry("c", "returned", "4"),
    ];
    expect(newsAmong(entries).map((one) => `${one.entity_id} ${newsText(one)}`)).toEqual([
      "c is back",
      "a is not seen any more",
    ]);
  });
});
