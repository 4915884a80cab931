import type { z } from "zod";
import type { Fault } from "../errors.js";

/** Maximum errors listed in a response. */
export const MOST_FAULTS = 1000;

/** Every error that zod found, with its dotted path; for unions, those of the closest member. */
export function faultsOf(error: z.ZodError): Fault[] {
  const faults = error.issues
    .slice(0, MOST_FAULTS)
    .flatMap((issue) => flatten(issue, []))
    .slice(0, MOST_FAULTS);
  // A text where a list must be has no elements to count.
  const wrong = new Set(error.issues.filter(({ code }) => code === "invalid_type").map(({ path }) => dotted(path)));
  const seen = new Set<string>();
  return faults.filter(({ path }) => {
    const isFirst = !seen.has(path);
    seen.add(path);
    return isFirst || !wrong.has(path);
  });
}

function flatten(issue: z.core.$ZodIssue, before: readonly PropertyKey[]): Fault[] {
  const path = [...before, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ path: dotted([...path, key]), message: "unrecognized field" }));
  const closest = issue.code === "invalid_union" ? closestOf(issue) : null;
  if (closest !== null) return closest.flatMap((inner) => flatten(inner, path));
  return [{ path: dotted(path), message: issue.message }];
}

/** What is wrong by the only form whose kind of value it is, such as a list; null if there is none, or several. */
function closestOf({ errors }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | null {
  const close = errors.filter((issues) => issues.every(({ path }) => path.length > 0));
  const [only = null] = close;
  return close.length === 1 ? only : null;
}

function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join(".");
}
