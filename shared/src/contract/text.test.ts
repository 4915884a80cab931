import { describe, expect, it } from "@jest/globals";
import type { z } from "zod";
import { Description, Name, verbatimText } from "./common.js";
import { OPERATIONS } from "./index.js";

const SAMPLES = [
  "",
  " ",
  "a",
  " a ",
  "a b",
  "\n",
  "\ta\r\n",
  "\n \n a",
  "a\nb",
  "a\n ",
  "a \u00a0",
  "\u00a0",
  "\u3000",
  "\ufeff",
  "\u2028a",
  "\u0000",
  "a\u0000",
  "\u001f",
  "\u007f",
  "\u0085",
  "\u009f",
  "a\u0085",
  "\u{1f600}",
  "\u200b",
  "~",
  "a".repeat(500),
  "a\u200bb",
  "a\u200d",
  "\u200d",
  "\u200c\u200d ",
  "a\u00adb",
  "\u2028",
  "a\u2029b",
  "\u202ea",
  "\u2060",
  "\u3164",
  "\u3164a",
  "\uffa0",
  "\ufe0f",
  "\u2764\ufe0f",
  "\u{1f468}\u200d\u{1f4bb}",
  "\u2800",
  "a\u2800",
  "a\ufeffb",
  "\u180e",
  "\ud55c\uae00",
  "\u0627\u200c\u0644",
  "\u061c",
  "\ufff9",
];

describe("text: the schema in the OpenAPI document", () => {
  it.each([
    ["a name", Name],
    ["a description", Description],
    ["a password", verbatimText(1, 500)],
  ])("of %s accepts what the server accepts", (_what, schema) => {
    const meta = schema.meta() as { pattern: string; minLength: number; maxLength: number };
    const accepts = (text: string): boolean =>
      new RegExp(meta.pattern, "u").test(text) && text.length >= meta.minLength && text.length <= meta.maxLength;
    const differing = SAMPLES.filter((text) => accepts(text) !== schema.safeParse(text).success);
    expect(differing).toEqual([]);
  });
});

describe("text: names", () => {
  const faultOf = (name: string): string | undefined => Name.safeParse(name).error?.issues[0]?.message;

  it.each([
    ["ro\u200buter", "U+200B at character 3"],
    ["ro\u00aduter", "U+00AD at character 3"],
    ["\u{1f5a5}\u202erouter", "U+202E at character 2"],
    ["a\u2028b", "U+2028 at character 2"],
    ["a\u2029b", "U+2029 at character 2"],
    ["\u3164", "U+3164 at character 1"],
    ["a\u115f", "U+115F at character 2"],
    ["a\u1160", "U+1160 at character 2"],
    ["a\uffa0", "U+FFA0 at character 2"],
    ["a\u{e0041}", "U+E0041 at character 2"],
  ])("are rejected with an invisible character and its place: %j", (name, place) => {
    expect(faultOf(name)).toBe(`must not contain invisible characters: ${place}`);
  });

  it.each(["\u200d", "\u200c \u200d", "\u2800", "\ufe0f", "\u034f", "\u{e0100}"])(
    "are rejected when nothing in them is visible: %j",
    (name) => {
      expect(faultOf(name)).toBe("must contain a visible character");
    },
  );

  it.each([
    "نامه\u200cای",
    "क्\u200dष",
    "\u{1f468}\u200d\u{1f4bb}",
    "\u2764\ufe0f",
    "한글",
    "\ue0b0",
    "\u{1fadf}",
    "\u0301",
  ])("may have the joiners, marks and characters of all scripts: %j", (name) => {
    expect(faultOf(name)).toBeUndefined();
  });
});

/** The texts of a schema that may contain blanks, with their paths. */
function* freeTexts(schema: z.ZodType, path: string): Generator<[path: string, schema: z.ZodType]> {
  const { innerType, element, shape, options } = schema.def as {
    readonly innerType?: z.ZodType;
    readonly element?: z.ZodType;
    readonly shape?: Readonly<Record<string, z.ZodType>>;
    readonly options?: readonly z.ZodType[];
  };
  if (innerType !== undefined) yield* freeTexts(innerType, path);
  else if (element !== undefined) yield* freeTexts(element, `${path}[]`);
  else if (shape !== undefined)
    for (const [name, inner] of Object.entries(shape)) yield* freeTexts(inner, `${path}.${name}`);
  else if (options !== undefined) for (const option of options) yield* freeTexts(option, path);
  else if (schema.safeParse("long enough text").success) yield [path, schema];
}

/** Texts in which invisible characters do no harm: long, secret, ignored, or only compared. */
const NO_LABELS =
  /(?:\.(?:description|note|(?:current_|new_)?password|(?:user_|device_)?code|email|token|invite_token|challenge|keys\[\]|source\.type|request_id|filter\.tag_ids\[\]|filters\.search|collapsed\[\])|^delete_organization\.name|^(?:show_assistant|let_assistant_in\.request)\.\w+)$/;

describe("text: the bodies of all operations", () => {
  it("have invisible characters in no text by which people tell things apart", () => {
    const texts = OPERATIONS.flatMap(({ operationId, body, upload }) =>
      body === undefined || upload !== undefined ? [] : [...freeTexts(body, operationId)],
    );
    const accepting = texts.filter(([, schema]) => schema.safeParse("long\u200b enough text").success);
    expect(accepting.map(([path]) => path).filter((path) => !NO_LABELS.test(path))).toEqual([]);
    expect(texts.length - accepting.length).toBeGreaterThan(30);
  });
});
