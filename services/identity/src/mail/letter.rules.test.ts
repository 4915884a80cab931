import { describe, expect, it } from "@jest/globals";
import { htmlOf, type Letter, textOf } from "./letter.rules.js";

const letter: Letter = {
  subject: 'A "subject" <b>',
  opening: [`<img src="https://tracker.example/1.gif"> & ${"word ".repeat(30).trim()}`],
  action: { label: "Go <on>", url: "https://nts.example/reset-password#token=a&b" },
  closing: ["It's over."],
  sender: "Network topology at nts.example",
};

describe("mail.letter", () => {
  it("escapes external text, and loads nothing", () => {
    const html = htmlOf(letter);
    expect(html).toContain("&lt;img src=&quot;https://tracker.example/1.gif&quot;&gt; &amp; word");
    expect(html).not.toMatch(/<(img|script|link|iframe|style)\b|url\(/);
    expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target]) => target)).toEqual([
      "https://nts.example/reset-password#token=a&amp;b",
    ]);
  });

  it("contains the same as plain text, in lines that fit a terminal, with the link unbroken", () => {
    const text = textOf(letter);
    expect(text.split("\n")).toContain("https://nts.example/reset-password#token=a&b");
    expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(76);
    expect(text).toContain("It's over.\n\n-- \nNetwork topology at nts.example\n");
  });
});
