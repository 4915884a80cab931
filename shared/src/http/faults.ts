import type { z } from "zod";
import type { Fault } from "../errors.js";

/** Faults that one answer lists. */
export const MOST_FAULTS = 1000;

/** Every fault that zod found, with its dotted path; of a union, the faults of the member that came closest. */
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
