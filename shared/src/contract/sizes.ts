// Limits of entities that import threads use without loading zod.

/** Maximum addresses that a job of a collector looks at. */
export const MOST_TARGET_ADDRESSES = 65_536;

/** Maximum bindings of a service. */
export const MOST_BINDINGS = 1_000;
