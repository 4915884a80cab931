import { describe, expect, it } from "@jest/globals";
import { bar, createProgressLine, type Screen } from "./progress.js";

function aScreen(isTTY: boolean, columns: number): { readonly text: () => string; readonly screen: Screen } {
  let text = "";
  return { text: () => text, screen: { isTTY, columns, write: (part: string) => (text += part) } };
}

describe("the progress line", () => {
  it("rewrites one line, never wider than the terminal, and clears it at the end", () => {
    const { text, screen } = aScreen(true, 20);
    const line = createProgressLine(screen);
    line.show(bar(1, 2));
    line.show(bar(1, 2));
    line.show("2 of 2");
    line.clear();
    line.clear();
    expect(text()).toBe("\r[###############   \u001b[K\r2 of 2\u001b[K\r\u001b[K");
  });

  it("is shown on a terminal that does not report its width", () => {
    const { text, screen } = aScreen(true, 0);
    createProgressLine(screen).show("2 of 2");
    expect(text()).toBe("\r2 of 2\u001b[K");
  });

  it("is not written to files and pipes", () => {
    const { text, screen } = aScreen(false, 80);
    const line = createProgressLine(screen);
    line.show(bar(1, 2));
    line.clear();
    expect(text()).toBe("");
  });

  it("shows a full bar at the end, also for an empty file", () => {
    const full = "#".repeat(30);
    expect([bar(0, 4), bar(4, 4), bar(0, 0)]).toEqual([
      `[${" ".repeat(30)}] 0 of 4`,
      `[${full}] 4 of 4`,
      `[${full}] 0 of 0`,
    ]);
  });
});
