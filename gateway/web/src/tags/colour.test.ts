import { describe, expect, it } from "@jest/globals";
import { NEUTRAL, shownColour } from "./colour.js";

/** As browsers answer for a whole value. */
const isColour = (text: string): boolean => /^(?:#[0-9a-f]{3,8}|red|rgb\([\d ]+\))$/i.test(text);

describe("console.tags: the colour of a tag", () => {
  it.each(["red", "#2f9e44", "rgb(1 2 3)"])("is shown if the browser knows it: %s", (text) => {
    expect(shownColour(text, isColour)).toBe(text);
  });

  it.each(["red;background:url(x)", '"><script>', "</style>", "url(//example.com/x)", "Pantone 16-1546"])(
    "is neutral for any other text: %s",
    (text) => {
      expect(shownColour(text, isColour)).toBe(NEUTRAL);
    },
  );
});
