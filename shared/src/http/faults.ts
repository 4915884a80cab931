import type { z } from "zod";
import type { Fault } from "../errors.js";

/** Maximum errors listed in a response. */
export const MOST_FAULTS = 1000;

/** Every error that zod found, with its dotted path; for unions, those of the closest member. */
export function faultsOf(error: z.ZodError): Fault[] {
  return error.issues
    .slice(0, MOST_FAULTS)
    .flatMap((issue) => flatten(issue, []))
    .slice(0, MOST_FAULTS);
}

function flatten(issue: z.core.$ZodIssue, before: readonly PropertyKey[]): Fault[] {
  const path = [...before, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ path: dotted([...path, key]), message: "unrecognized field" }));
  return [{ path: dotted(path), message: issue.message }];
}

function dotted(path: readonly PropertyKey[]): string {
  return path.map(String).join(".");
}
