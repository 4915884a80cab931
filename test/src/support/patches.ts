import fc from "fast-check";
import { SEED } from "./sample-seed.js";

/** The members in which one body differs from another: the merge patch between them. */
export function diffOf<Body extends object>(before: Body, after: Body): Partial<Body> {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Body]),
  );
  return Object.fromEntries(changed) as Partial<Body>;
}

/** Random values, different in each run; a failure prints its seed. */
export function sampled<Value>(arbitrary: fc.Arbitrary<Value>, count: number): Value[] {
  return fc.sample(arbitrary, { numRuns: count, seed: SEED });
}
