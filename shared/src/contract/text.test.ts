import { describe, expect, it } from "@jest/globals";
import { Description, Name, verbatimText } from "./common.js";

const SAMPLES = [
  "", " ", "a", " a ", "a b", "\n", "\ta\r\n", "\n \n a", "a\nb", "a\n ", "a \u00a0", "\u00a0", "\u3000", "\ufeff", "\u2028a",
  "\u0000", "a\u0000", "\u001f", "\u007f", "\u0085", "\u009f", "a\u0085", "\u{1f600}", "\u200b", "~", "a".repeat(500),
]; // prettier-ignore

describe("text: the schema in the OpenAPI document", () => {
  it.each([
    ["a name", Name],
    ["a description", Description],
    ["a password", verbatimText(1, 500)],
  ])("of %s accepts what the server accepts", (_what, schema) => {
    const said = schema.meta() as { pattern: string; minLength: number; maxLength: number };
    const accepts = (text: string): boolean =>
      new RegExp(said.pattern, "u").test(text) && text.length >= said.minLength && text.length <= said.maxLength;
    const differing = SAMPLES.filter((text) => accepts(text) !== schema.safeParse(text).success);
    expect(differing).toEqual([]);
  });
});
