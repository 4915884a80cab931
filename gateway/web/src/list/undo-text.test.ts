import { describe, expect, it } from "@jest/globals";
import { bulkDeleteHosts, deleteKey, deleteNetwork, deletePort, deleteUser } from "@nts/shared/contract";
import { withUndo } from "./undo-text.js";

describe("the consequence of a deletion", () => {
  it("says that deletions of inventory can be undone, and which are too large for it", () => {
    expect(withUndo("Gone.", deletePort)).toBe("Gone. The deletion can be undone under Activity.");
    const large = "Gone. The deletion can be undone under Activity, unless it covers more than 4,000 entries.";
    expect([deleteNetwork, bulkDeleteHosts].map((operation) => withUndo("Gone.", operation))).toEqual([large, large]);
  });

  it("promises nothing for access", () => {
    expect([deleteUser, deleteKey].map((operation) => withUndo("Gone.", operation))).toEqual(["Gone.", "Gone."]);
  });
});
