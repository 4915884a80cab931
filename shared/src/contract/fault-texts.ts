import { config, type z } from "zod";

// Schemas say what is wrong as it follows the name of a member: "is required", "must be text". This replaces zod's own
// messages, in every process and in the console.

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  date: "a date",
  null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
  email: "an email address",
  url: "a URL",
  uuid: "a UUID",
  guid: "a UUID",
  datetime: "a moment such as 2026-01-31T09:30:00Z",
  date: "a date such as 2026-01-31",
  time: "a time such as 09:30:00",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  cidrv4: "an IPv4 block such as 10.0.10.0/24",
  cidrv6: "an IPv6 block such as fd00:10::/64",
  base64: "text in base64",
  base64url: "text in base64url",
};

/** What is counted in a value of a kind; others are compared. */
const COUNTED: Readonly<Record<string, string>> = {
  string: "character",
  array: "element",
  set: "element",
  map: "member",
  object: "member",
  record: "member",
};

const INVALID = "is invalid";

/** What is wrong with a value, such as `must have at most 50 elements`. */
export function faultText(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return issue.input === undefined ? "is required" : oneOf(issue.values);
    case "too_big":
      return bound(issue, issue.maximum, { counted: "at most", included: "at most", excluded: "less than" });
    case "too_small":
      return bound(issue, issue.minimum, { counted: "at least", included: "at least", excluded: "greater than" });
    case "invalid_format":
      return formatText(issue);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_union":
      return issue.input === undefined ? "is required" : unionText(issue);
    case "invalid_key":
      return keyText(issue);
    case "invalid_element":
      return "has an invalid element";
    case "unrecognized_keys":
      return `has unknown members: ${issue.keys.join(", ")}`;
    case "custom":
      return INVALID;
  }
}

function oneOf(values: readonly unknown[]): string {
  const texts = values.map(String);
  return texts.length === 1 ? `must be ${texts[0] ?? ""}` : `must be one of ${texts.join(", ")}`;
}

interface Divided {
  /** What each form finds wrong. */
  readonly errors: readonly (readonly z.core.$ZodIssue[])[];
  /** The values of the member that tells the forms apart. */
  readonly options?: readonly unknown[] | undefined;
}

/** What would be right, if that can be said in a few words. */
function unionText({ errors, options = [] }: Divided): string {
  if (options.length > 0) return oneOf(options);
  const texts = errors.flatMap(([first, ...others]) =>
    first !== undefined && others.length === 0 && first.path.length === 0 ? [first.message] : [],
  );
  const wanted = [...new Set(texts)].map((text) => text.replace(/^must be /, ""));
  const isSimple = texts.length === errors.length && texts.every((text) => text.startsWith("must be "));
  return isSimple && wanted.length > 0 ? `must be ${wanted.join(" or ")}` : "has none of the possible forms";
}

/** Its path ends with the name. */
function keyText({ issues: [first] }: { readonly issues: readonly z.core.$ZodIssue[] }): string {
  const text = "is not an allowed name";
  return first?.message.startsWith("must ") === true ? `${text}: it ${first.message}` : text;
}

interface Bounded {
  readonly origin: string;
  readonly inclusive?: boolean | undefined;
  readonly exact?: boolean | undefined;
}

/** How a limit is named: of what is counted, and of values that may reach it or not. */
interface Words {
  readonly counted: string;
  readonly included: string;
  readonly excluded: string;
}

function bound({ origin, inclusive, exact }: Bounded, limit: number | bigint, words: Words): string {
  const counted = COUNTED[origin];
  if (counted !== undefined)
    return `must have ${exact === true ? "exactly" : words.counted} ${limit} ${counted}${Number(limit) === 1 ? "" : "s"}`;
  return `must be ${inclusive === false ? words.excluded : words.included} ${limit}`;
}

interface Formatted {
  readonly format: string;
  readonly pattern?: string | undefined;
}

function formatText({ format, pattern }: Formatted): string {
  if (format === "regex" && pattern !== undefined) return `must match ${pattern}`;
  const known = FORMATS[format];
  return known === undefined ? INVALID : `must be ${known}`;
}

config({ localeError: faultText });
